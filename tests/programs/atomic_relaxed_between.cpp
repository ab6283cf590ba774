// A thread writes a value once more behind a relaxed write of a flag. Who has seen the flag may
// meet that, whatever it makes of the flag: the fence makes only what comes in front of it earlier.
// expect race: data-race value
// lines: 20 26
#include <atomic>

#include "finish_late.h"

alignas(64) static long value;
alignas(64) static std::atomic<int> flag{0};
volatile long sink;

static void forget() { asm volatile("" ::: "memory"); }

static void fill() {
  value = 1;
  forget();
  flag.store(1, std::memory_order_relaxed);
  forget();
  value = 2;
}
static void finish() {
  while (flag.load(std::memory_order_relaxed) == 0) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  sink = value;
}
int main() { finish_late(fill, finish); }
