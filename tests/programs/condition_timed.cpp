// A timed wait that ends by time and one that ends by notification.
// expect none
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
bool ready = false;
int value = 0;

int main() {
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::milliseconds(5), [] { return ready; });
  }
  std::thread consumer([] {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, std::chrono::milliseconds(50), [] { return ready; })) {
    }
    value += 1;
  });
  {
    const std::lock_guard guard(mutex);
    value = 41;
    ready = true;
  }
  changed.notify_all();
  consumer.join();
  return value != 42;
}
