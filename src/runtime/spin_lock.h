// Short critical sections inside the runtime, which must not use the locks that
// it intercepts.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// No signal handler runs meanwhile, not even one of libc's own. So none leaves it by a jump.
class BlockHandlers {
 public:
  BlockHandlers() { set(~uint64_t{0}, &before_); }
  ~BlockHandlers() { set(before_, nullptr); }
  BlockHandlers(const BlockHandlers&) = delete;
  BlockHandlers& operator=(const BlockHandlers&) = delete;

 private:
  static void set(uint64_t signals, uint64_t* before) {
    ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, before, sizeof signals);
  }
  uint64_t before_;
};

// Whoever holds one is soon done with it, whatever signals come.
class SpinGuard {
 public:
  explicit SpinGuard(std::atomic<uint32_t>& word) : word_(word) { lock_word(word_); }
  ~SpinGuard() { word_.store(0, std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  const BlockHandlers block_;
  std::atomic<uint32_t>& word_;
};

}  // namespace foretrace::runtime
