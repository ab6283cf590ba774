// A relaxed read sees the flag, then one that acquires sees the same: that one orders.
// expect none
#include <atomic>

#include "finish_late.h"

alignas(64) static long data;
alignas(64) static std::atomic<int> flag{0};

int main() {
  finish_late(
      [] {
        data = 1;
        flag.store(1, std::memory_order_release);
      },
      [] {
        while (flag.load(std::memory_order_relaxed) == 0) {
        }
        if (flag.load(std::memory_order_acquire) != 0) data = 2;
      });
}
