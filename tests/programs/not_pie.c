// A program at a fixed address, which has the runtime's data in its own memory.
// expect race: data-race total
// flags: -fno-pie -no-pie
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int guarded;
static int total;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  const int number = ++guarded;
  pthread_mutex_unlock(&mutex);
  total += number;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return total < 0;
}
