// A wait without a predicate: only the notification orders the two.
// expect none
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int value;

static void* produce(void* unused) {
  value = 41;
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, 0, produce, 0);
  pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  ++value;
  pthread_join(thread, 0);
  return value != 42;
}
