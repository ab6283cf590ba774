// A semaphore with one permit is a lock, also with the try form.
// expect none
#include <pthread.h>
#include <semaphore.h>

static sem_t permit;
static int counter;

static void* count(void* unused) {
  for (int i = 0; i < 50; ++i) {
    if (sem_trywait(&permit) != 0) sem_wait(&permit);
    ++counter;
    sem_post(&permit);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&permit, 0, 1);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return counter != 100;
}
