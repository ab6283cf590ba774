// A thread reads a location atomically and then plainly: the plain read races, as if it were the
// first.
// expect race: data-race value
#include "finish_late.h"

alignas(64) long value;

int main() {
  finish_late(
      [] {
        if (__atomic_load_n(&value, __ATOMIC_ACQUIRE) > 5) return;
        asm volatile("" ::: "memory");
        if (value == 7) __builtin_trap();
      },
      [] { __atomic_store_n(&value, 1, __ATOMIC_RELEASE); });
}
