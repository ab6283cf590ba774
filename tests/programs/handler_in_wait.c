// A handler of a signal runs while its thread waits for a condition. What it posts orders what the
// thread did before, and what it writes races with who reads it unordered.
// expect race: data-race unordered
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int handed_on, done;
static volatile int unordered;

static void handle(int signal) {
  unordered = signal;
  sem_post(&posted);
}

static void* work(void* waiting) {
  usleep(50000);  // until it waits
  pthread_kill(*(pthread_t*)waiting, SIGUSR1);
  while (sem_wait(&posted) != 0) {
  }
  handed_on = 2;
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* look(void* unused) {
  if (unordered == 7) return NULL;
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&posted, 0, 0);
  pthread_t self = pthread_self(), worker, looker;
  pthread_create(&worker, NULL, work, &self);
  pthread_create(&looker, NULL, look, NULL);
  handed_on = 1;
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(worker, NULL);
  pthread_join(looker, NULL);
  return handed_on == 2 ? 0 : 1;
}
