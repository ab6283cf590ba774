// A std::counting_semaphore without Foretrace. In libstdc++ 12 a waiter reads the value, tries
// for a while to take one, and then sleeps as long as the value is the one it had read: also if
// that was 1, and somebody had taken it and given it back meanwhile. Nobody wakes such a thread.
// All that is added here is time in front of the wait, as a busy machine (or noise) adds it.
//
// Exit status 0: no waiter was seen that would sleep on 1. 3: one did, and slept on though the
// semaphore was free and stayed free.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <thread>

#include <linux/futex.h>
#include <sys/syscall.h>

std::counting_semaphore<4> permits(1);
std::atomic<bool> stop{false};
std::atomic<bool> other_has_stopped{false};
std::atomic<bool> sleeps_on_one{false};
thread_local bool is_waiter = false;

void pause_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void spin(int rounds) {
  for (int i = 0; i < rounds; ++i) __asm__ volatile("");
}

void watch() {
  pause_for(2000);
  if (!sleeps_on_one || !permits.try_acquire()) return;
  std::puts("a waiter has slept for 2 s though the semaphore is free");
  std::fflush(stdout);
  std::_Exit(3);
}

// In front of libc's, which the semaphore waits with.
extern "C" long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  const long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long),
             d = va_arg(list, long);
  va_end(list);
  if (is_waiter && number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_WAIT && c == 1) {
    stop = true;  // the other one gives its permit back, and takes no more
    while (!other_has_stopped) pause_for(1);
    sleeps_on_one = true;
    std::thread(watch).detach();
  }
  long result = number;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  if (is_waiter) sleeps_on_one = false;
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}

int main() {
  std::thread other([] {
    while (!stop) {
      permits.acquire();
      spin(2000);
      permits.release();
      spin(50);
    }
    other_has_stopped = true;
  });
  is_waiter = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    permits.acquire();
    permits.release();
  }
  stop = true;
  other.join();
}
