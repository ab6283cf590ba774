// POSIX read-write lock, in its try and timed forms too.
// expect none
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void* work(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 10;
  for (int i = 0; i < 20; ++i) {
    pthread_rwlock_rdlock(&lock);
    int seen = value;
    pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_trywrlock(&lock) != 0) pthread_rwlock_timedwrlock(&lock, &until);
    value = seen + 1;
    pthread_rwlock_unlock(&lock);
    if (pthread_rwlock_tryrdlock(&lock) == 0) pthread_rwlock_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  pthread_rwlock_destroy(&lock);
  return value < 0;
}
