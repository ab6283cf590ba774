// Atomic counters are no races.
// expect none
#include <atomic>
#include <thread>

std::atomic<int> counter = 0;
std::atomic<long> wide = 0;

int main() {
  const auto count = [] {
    for (int i = 0; i < 100; ++i) {
      ++counter;
      wide.fetch_add(2, std::memory_order_relaxed);
      int seen = counter.load();
      counter.compare_exchange_weak(seen, seen);
    }
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  return counter != 200 || wide != 400;
}
