// Two threads count without a lock.
// expect race: data-race counter
// lines: 9
#include <pthread.h>

static int counter;

static void* count(void* unused) {
  for (int i = 0; i < 100; ++i) ++counter;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return counter < 0;
}
