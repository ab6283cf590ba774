// Only the reader asks for order; the writer's store is relaxed.
// expect hb: data-race value
#include <atomic>
#include <thread>

int value = 0;
std::atomic<int> state{0};

int main() {
  std::thread writer([] {
    value = 1;
    int expected = 0;
    state.compare_exchange_strong(expected, 1, std::memory_order_relaxed);
  });
  while (state.load(std::memory_order_acquire) == 0) {
  }
  value += 1;
  writer.join();
}
