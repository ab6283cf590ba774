// POSIX spin lock.
// expect none
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void* count(void* unused) {
  for (int i = 0; i < 100; ++i) {
    if (pthread_spin_trylock(&lock) != 0) pthread_spin_lock(&lock);
    ++counter;
    pthread_spin_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  pthread_spin_destroy(&lock);
  return counter != 200;
}
