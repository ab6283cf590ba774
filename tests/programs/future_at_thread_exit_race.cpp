// A future that is ready when a thread has ended: who does not wait for it races with the thread.
// expect race: data-race result
#include <chrono>
#include <future>
#include <thread>
#include <utility>

static int result;

int main() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread([promise = std::move(promise)]() mutable {
    promise.set_value_at_thread_exit();
    result = 1;
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  result = 2;
  future.get();
  return result == 0;
}
