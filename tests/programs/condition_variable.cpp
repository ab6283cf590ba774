// A value handed over under a lock with a condition.
// expect none
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;
int value = 0;

int main() {
  std::thread consumer([] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return ready; });
    lock.unlock();
    value += 1;
  });
  value = 41;
  {
    const std::lock_guard guard(mutex);
    ready = true;
  }
  changed.notify_one();
  consumer.join();
  return value != 42;
}
