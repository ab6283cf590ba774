// An atomic read sees what the thread wrote behind a plain write, and races with that: nothing made
// it come later.
// expect race: data-race value
#include "finish_late.h"

alignas(16) static long value;

int main() {
  finish_late(
      [] {
        value = 1;
        __atomic_store_n(&value, 2, __ATOMIC_RELEASE);
      },
      [] {
        if (__atomic_load_n(&value, __ATOMIC_ACQUIRE) == 3) __builtin_trap();
      });
}
