// A thread is cancelled while it waits; its cleanup gives the lock back.
// expect none
// leaves out records
// (libgcc, which takes the thread's frames down, initialises itself while it still waits)
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int value;

static void unlock(void* lock) { pthread_mutex_unlock(lock); }

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  usleep(200000);
  pthread_cancel(thread);
  pthread_join(thread, 0);
  pthread_mutex_lock(&mutex);
  value = 1;
  pthread_mutex_unlock(&mutex);
  return value != 1;
}
