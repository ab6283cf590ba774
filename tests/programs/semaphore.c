// A semaphore hands a value over.
// expect none
#include <pthread.h>
#include <semaphore.h>

static sem_t full;
static int value;

static void* produce(void* unused) {
  value = 41;
  sem_post(&full);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&full, 0, 0);
  pthread_create(&thread, 0, produce, 0);
  while (sem_wait(&full) != 0) {
  }
  ++value;
  pthread_join(thread, 0);
  sem_destroy(&full);
  return value != 42;
}
