// A spin lock made of an atomic flag.
// expect none
#include <atomic>
#include <thread>

std::atomic_flag held;
int counter = 0;

int main() {
  const auto count = [] {
    for (int i = 0; i < 50; ++i) {
      while (held.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
      ++counter;
      held.clear(std::memory_order_release);
    }
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  return counter != 100;
}
