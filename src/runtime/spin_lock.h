// Short critical sections inside the runtime, which must not use the locks that
// it intercepts.
#pragma once

#include <atomic>
#include <cstdint>

#include <sched.h>

namespace foretrace::runtime {

// Between two looks at a lock that somebody else holds.
inline void pause_in(uint32_t round) {
  if (round % 64 == 63) {
    ::sched_yield();
  } else {
    __builtin_ia32_pause();
  }
}

inline void lock_word(std::atomic<uint32_t>& word) {
  for (uint32_t round = 0; word.exchange(1, std::memory_order_acquire) != 0; ++round) {
    pause_in(round);
  }
}

class SpinGuard {
 public:
  explicit SpinGuard(std::atomic<uint32_t>& word) : word_(word) { lock_word(word_); }
  ~SpinGuard() { word_.store(0, std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  std::atomic<uint32_t>& word_;
};

}  // namespace foretrace::runtime
