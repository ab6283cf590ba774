// Relaxed operations between fences hand over.
// expect none
#include <atomic>
#include <thread>

int value = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread writer([] {
    value = 1;
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
  });
  while (!ready.load(std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  value += 1;
  writer.join();
}
