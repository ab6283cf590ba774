// What a thread did before it sends a signal comes before what the handler does in the
// thread that gets it; and what that did, before what the thread does then.
// expect none
#include <pthread.h>
#include <signal.h>

static int job;
static int result;
static volatile sig_atomic_t came;

static void take(int number) {
  result = job + number;
  came = 1;
}

static void* work(void* unused) {
  sigset_t none;
  sigemptyset(&none);
  while (!came) sigsuspend(&none);
  job = result;
  return unused;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  struct sigaction action = {0};
  action.sa_handler = take;
  sigaction(SIGUSR1, &action, 0);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  pthread_create(&thread, 0, work, 0);
  job = 1;
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
  return result == 1 + SIGUSR1 ? 0 : 1;
}
