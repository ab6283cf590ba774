// A loop writes an array until a flag is seen that a lock protects. If the flag is set
// first, it writes one element and not those that the other thread has: what is made
// one record must not come before the read that it depends on.
// expect none
#include <mutex>

#include "finish_late.h"

static std::mutex flag_mutex;
static std::mutex order_mutex;
static bool stop;
static long cells[64];

__attribute__((noinline)) static bool look() { return stop; }

static void fill() {
  const std::lock_guard flag_guard(flag_mutex);
  const std::lock_guard order_guard(order_mutex);
  for (int i = 0; i < 32; ++i) {
    cells[i] = i;
    if (look()) return;
  }
}

static void finish() {
  {
    const std::lock_guard guard(flag_mutex);
    stop = true;
  }
  { const std::lock_guard guard(order_mutex); }
  cells[5] = 1;
}

int main() { finish_late(fill, finish); }
