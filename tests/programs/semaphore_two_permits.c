// With two permits it is none.
// expect race: data-race counter
#include <pthread.h>
#include <semaphore.h>

static sem_t permit;
static int counter;

static void* count(void* unused) {
  ++counter;
  sem_wait(&permit);
  sem_post(&permit);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&permit, 0, 2);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return counter < 0;
}
