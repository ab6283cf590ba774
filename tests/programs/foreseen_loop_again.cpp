// The course of a loop is known when it begins, but whether it begins again depends on what
// it read: the accesses of the second time must not come before that.
// expect none
#include <mutex>

#include "finish_late.h"

static std::mutex flag_mutex;
static std::mutex order_mutex;
long flags[8];
long cells[64];
static volatile long part = 64;
static volatile long width = 8;

static void fill() {
  const std::lock_guard flag_guard(flag_mutex);
  const std::lock_guard order_guard(order_mutex);
  const long size = part;  // LLVM does not know that it is one range
  const long step = width;
  for (long first = 0; first < 32; first += step) {
    long stop = 0;
    for (long i = first; i < first + step; ++i) {
      cells[i / size * 2 * size + i % size] = i;
      stop |= flags[i % size % 8];
    }
    if (stop != 0) return;
  }
}

static void finish() {
  {
    const std::lock_guard guard(flag_mutex);
    flags[3] = 1;
  }
  { const std::lock_guard guard(order_mutex); }
  cells[20] = 1;
}

int main() { finish_late(fill, finish); }
