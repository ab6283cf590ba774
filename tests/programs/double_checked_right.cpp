// The same with an atomic flag.
// expect none
#include <atomic>
#include <mutex>
#include <thread>

std::mutex mutex;
std::atomic<bool> ready = false;
int value = 0;

int use() {
  if (!ready.load(std::memory_order_acquire)) {
    const std::lock_guard guard(mutex);
    if (!ready.load(std::memory_order_relaxed)) {
      value = 42;
      ready.store(true, std::memory_order_release);
    }
  }
  return value;
}

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  return use() != 42;
}
