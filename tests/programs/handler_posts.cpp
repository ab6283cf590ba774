// What a handler does to synchronise is recorded though it interrupts the recorder: a post, and an
// atomic write. What was written before comes before what those do who wait for it.
// expect none
#include <atomic>
#include <csignal>
#include <thread>

#include <semaphore.h>
#include <sys/time.h>

static constexpr int kRounds = 60;
static sem_t posted;
static std::atomic<int> round_of_handler;
static std::atomic<int> done;
static int cells[1 << 16];
static int by_post[kRounds];
static int by_flag[kRounds];
static volatile sig_atomic_t now;
static volatile sig_atomic_t fired;

static void post(int) {
  sem_post(&posted);
  round_of_handler.store(now + 1);
  fired = 1;
}

__attribute__((noinline)) static void compute() {
  for (unsigned i = 0; !fired; i = i * 1664525 + 1013904223) ++cells[i >> 16];
}

static void wait_for_posts() {
  for (int i = 0; i < kRounds; ++i) {
    sem_wait(&posted);
    ++by_post[i];
    done.store(i + 1);
  }
}

static void wait_for_flag() {
  for (int i = 0; i < kRounds; ++i) {
    while (round_of_handler.load() <= i) std::this_thread::yield();
    ++by_flag[i];
  }
}

int main() {
  sem_init(&posted, 0, 0);
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  struct sigaction action = {};
  action.sa_handler = post;
  sigaction(SIGALRM, &action, nullptr);
  pthread_sigmask(SIG_BLOCK, &alarm, nullptr);
  std::thread first(wait_for_posts);
  std::thread second(wait_for_flag);
  pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
  for (int i = 0; i < kRounds; ++i) {
    now = i;
    fired = 0;
    by_post[i] = 1;
    by_flag[i] = 1;
    const itimerval soon = {{0, 0}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    compute();
    while (done.load() <= i) std::this_thread::yield();
  }
  first.join();
  second.join();
}
