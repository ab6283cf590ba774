// Time limits: a handler leaves a computation by siglongjmp(), and with it the recorder. What the
// thread does afterwards is recorded: one variable is handed on, and there is a race for another.
// expect race: data-race missed
#include <atomic>
#include <csetjmp>
#include <csignal>

#include <pthread.h>
#include <sys/time.h>

static sigjmp_buf before;
static int cells[1 << 16];
static std::atomic<unsigned> atoms[64];
static int handed_on;
static int missed;

static void leave(int) { siglongjmp(before, 1); }

__attribute__((noinline)) static void compute() {
  for (unsigned i = 0;; i = i * 1664525 + 1013904223) {
    ++cells[i >> 16];
    ++atoms[i >> 26];
  }
}

__attribute__((noinline)) static void hand_on() { ++handed_on; }
__attribute__((noinline)) static void miss() { ++missed; }

static void* other(void*) {
  hand_on();
  for (auto& atom : atoms) ++atom;
  miss();
  return nullptr;
}

int main() {
  struct sigaction action = {};
  action.sa_handler = leave;
  sigaction(SIGALRM, &action, nullptr);
  for (volatile int i = 0; i < 40; ++i) {
    if (sigsetjmp(before, 1) != 0) continue;
    const itimerval limit = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &limit, nullptr);
    compute();
  }
  hand_on();
  pthread_t thread;
  pthread_create(&thread, nullptr, other, nullptr);
  miss();
  pthread_join(thread, nullptr);
  hand_on();
}
