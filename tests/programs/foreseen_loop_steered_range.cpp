// A loop over a range overwrites the bound of the loop around it, again and again: where that one
// ends depends on what it has read.
// expect none
#include <mutex>

#include "finish_late.h"

static std::mutex flag_mutex;
static std::mutex order_mutex;
long flags[128];
long cells[128];
long many[256];
static volatile long part = 64;
static long* volatile where = many;

__attribute__((noinline)) static void fill_up_to(const long* end, long* target, long size, long* cells, const long* flags) {
  for (long i = 0; i < *end; ++i) {
    cells[i / size * 2 * size + i % size] = i;
    const long f = 32 * flags[i / size * 2 * size + i % size];
    for (long j = 0; j < 256; ++j) target[j] -= f;
  }
}
static void fill() {
  const std::lock_guard flag_guard(flag_mutex);
  const std::lock_guard order_guard(order_mutex);
  fill_up_to(where + 100, where, part, cells, flags);
}
static void finish() {
  {
    const std::lock_guard guard(flag_mutex);
    flags[3] = 1;
  }
  { const std::lock_guard guard(order_mutex); }
  cells[20] = 1;
}
int main() { many[100] = 32; finish_late(fill, finish); }
