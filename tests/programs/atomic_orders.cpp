// Orders that suffice: release and acquire, with relaxed updates of others between them; an
// exchange that acquires only where it succeeds; fences around relaxed operations of another
// process would do, too (atomic_fences.cpp). Counters need no order.
// expect none
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

int value = 0;
long sum = 0;
std::atomic<int> state{0};
std::atomic<bool> taken{false};
std::atomic<long> rounds{0};

void add() {
  for (int i = 0; i < 50; ++i) {
    rounds.fetch_add(1, std::memory_order_relaxed);
    bool expected = false;
    while (taken.load(std::memory_order_relaxed) ||
           !taken.compare_exchange_weak(expected, true, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
      expected = false;
      std::this_thread::yield();
    }
    sum += 1;
    taken.store(false, std::memory_order_release);
  }
}

int main() {
  std::thread writer([] {
    value = 1;
    state.store(1, std::memory_order_release);
  });
  std::thread other([] {
    while (state.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    state.fetch_add(1, std::memory_order_relaxed);  // the release sequence goes on
  });
  while (state.load(std::memory_order_acquire) != 2) std::this_thread::yield();
  value += 1;
  writer.join();
  other.join();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(add);
  for (std::thread& thread : threads) thread.join();
  if (value != 2 || sum != 150 || rounds.load(std::memory_order_relaxed) != 150) std::abort();
}
