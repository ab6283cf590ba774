// std::atomic's wait and notify.
// expect none
#include <atomic>
#include <thread>

std::atomic<int> flag = 0;
int value = 0;

int main() {
  std::thread consumer([] {
    flag.wait(0);
    ++value;
  });
  value = 41;
  flag.store(1);
  flag.notify_one();
  consumer.join();
  return value != 42;
}
