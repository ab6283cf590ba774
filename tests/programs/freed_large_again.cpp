// A thread fills a block of 8 KB and gives it back; another thread gets the same memory, and tells
// the first one by what orders nothing. That fills it again, which is a race with the other thread.
// expect hb: data-race *
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

constexpr long kCount = 1024;
std::atomic<long*> handed{nullptr};
std::atomic<int> step{0};

__attribute__((noinline)) void fill(long* block, long value) {
  for (long i = 0; i < kCount; ++i) block[i] = value;
}

void wait_for(int wanted) {
  while (step.load(std::memory_order_relaxed) != wanted) {
  }
}

int main() {
  auto* const block = static_cast<long*>(std::malloc(kCount * sizeof(long)));
  std::thread thread([=] {
    fill(block, 1);
    std::free(block);
    wait_for(1);
    fill(handed.load(std::memory_order_relaxed), 2);
    step.store(2, std::memory_order_relaxed);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  auto* const again = static_cast<long*>(std::malloc(kCount * sizeof(long)));
  handed.store(again, std::memory_order_relaxed);
  step.store(1, std::memory_order_relaxed);
  wait_for(2);
  again[5] = 3;
  thread.join();
  return again == block ? 0 : 1;
}
