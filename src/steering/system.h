// System calls and time, without errno and without being a point where
// pthread_cancel() acts: hooks stand where the program calls nothing.
#pragma once

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

namespace foretrace::steering {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  long result = number;  // NOLINT(misc-const-correctness): changed below
  // NOLINTNEXTLINE(misc-const-correctness)
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

inline void pause_for(uint64_t nanoseconds) {
  const timespec span = {static_cast<time_t>(nanoseconds / 1'000'000'000),
                         static_cast<long>(nanoseconds % 1'000'000'000)};
  system_call(SYS_nanosleep, reinterpret_cast<long>(&span), 0);
}

inline void give_way() { system_call(SYS_sched_yield); }

// Through the vDSO; never fails.
inline uint64_t now() {
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

inline constexpr uint64_t kMicrosecond = 1'000;
inline constexpr uint64_t kMillisecond = 1'000'000;

}  // namespace foretrace::steering
