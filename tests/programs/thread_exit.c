// Threads that end by pthread_exit, with a mutex held.
// expect none
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  value = 1;
  pthread_exit(unused);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  value = 2;
  return value != 2;
}
