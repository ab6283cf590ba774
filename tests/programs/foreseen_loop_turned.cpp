// A loop that writes its own bound, though with the value that it has already: what it does
// then depends on where it got the value from, and must not come before that.
// expect none
#include <mutex>

#include "finish_late.h"

static std::mutex flag_mutex;
static std::mutex order_mutex;
alignas(4096) long flags[64];  // apart: the runtime follows only a few runs in one page
alignas(4096) long cells[64];
alignas(4096) long bounds[64];
static volatile long part = 64;
static long* volatile bound = &bounds[5];

static void fill() {
  const std::lock_guard flag_guard(flag_mutex);
  const std::lock_guard order_guard(order_mutex);
  const long size = part;            // LLVM does not know that it is one range,
  const long* const limit = bound;  // nor that the loop writes this
  for (long i = 0; i < *limit; ++i) {
    const long at = i / size * 2 * size + i % size;
    cells[at] = i;
    bounds[at] = flags[at];
  }
}

static void finish() {
  {
    const std::lock_guard guard(flag_mutex);
    flags[5] = 6;
  }
  { const std::lock_guard guard(order_mutex); }
  cells[20] = 1;
}

int main() {
  flags[5] = 32;
  bounds[5] = 32;
  finish_late(fill, finish);
}
