// A signal handler that uses atomics, while the thread records.
// expect none
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int ticks;
static int counter;

static void tick(int signal) {
  (void)signal;
  atomic_fetch_add(&ticks, 1);
}

static void* count(void* unused) {
  for (int i = 0; i < 2000; ++i) {
    pthread_mutex_lock(&mutex);
    ++counter;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  struct itimerval every = {{0, 500}, {0, 500}};
  struct itimerval never = {{0, 0}, {0, 0}};
  pthread_t threads[2];
  signal(SIGALRM, tick);
  setitimer(ITIMER_REAL, &every, 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  setitimer(ITIMER_REAL, &never, 0);
  return counter != 4000;
}
