// std::promise, std::future and std::async.
// expect none
#include <future>
#include <thread>

int value = 0;

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread producer([&] {
    value = 1;
    promise.set_value(41);
  });
  const int got = future.get() + value;
  producer.join();
  const int more = std::async(std::launch::async, [] { return ++value; }).get();
  return got != 42 || more != 2;
}
