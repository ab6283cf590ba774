// What a thread did before it sends a signal comes before what another does when it
// has waited for that signal: by sigwait(), sigtimedwait() and pause().
// expect none
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int job;
static int result;
static int last;
static pthread_t first;

static void nothing(int number) { (void)number; }

static void* work(void* unused) {
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  if (sigwait(&set, &number) != 0) return unused;
  result = job + 1;
  pthread_kill(first, SIGUSR2);
  // The other has to wait before the signal comes that ends its wait.
  struct timespec moment = {0, 100000000};
  nanosleep(&moment, 0);
  last = 3;
  kill(getpid(), SIGALRM);
  return unused;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  siginfo_t info;
  struct timespec limit = {60, 0};
  sigset_t before;
  struct sigaction action = {0};
  action.sa_handler = nothing;
  sigaction(SIGALRM, &action, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  first = pthread_self();
  pthread_create(&thread, 0, work, 0);
  job = 1;
  pthread_kill(thread, SIGUSR1);
  sigdelset(&set, SIGUSR1);
  sigdelset(&set, SIGALRM);
  if (sigtimedwait(&set, &info, &limit) != SIGUSR2 || result != 2) return 1;
  sigsuspend(&before);
  if (last != 3) return 1;
  pthread_detach(thread);
  return 0;
}
