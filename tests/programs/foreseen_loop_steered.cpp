// A loop overwrites its own bound by another pointer, with what it read: what it does
// afterwards must not come before that read.
// expect none
#include <mutex>

#include "finish_late.h"

static std::mutex flag_mutex;
static std::mutex order_mutex;
long flags[64];
long cells[64];
long bound = 32;
static volatile long part = 64;
static long* volatile where = &bound;

__attribute__((noinline)) static void fill_up_to(const long* end, long* target, long size) {
  for (long i = 0; i < *end; ++i) {
    cells[i / size * 2 * size + i % size] = i;
    *target = 32 * (1 - flags[i / size * 2 * size + i % size]);
  }
}

static void fill() {
  const std::lock_guard flag_guard(flag_mutex);
  const std::lock_guard order_guard(order_mutex);
  fill_up_to(where, where, part);
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
