// A thread ends with a robust mutex; who gets it then comes after all that it did. And
// main ends before a thread that joins it.
// expect none
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex;
static pthread_t main_thread;
static int value, last;

static void* die(void* unused) {
  pthread_mutex_lock(&mutex);
  value = 1;
  return unused;
}

static void* repair(void* unused) {
  if (pthread_mutex_lock(&mutex) == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  value++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* outlive(void* unused) {
  pthread_join(main_thread, 0);
  last++;
  exit(0);
  return unused;
}

int main(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  main_thread = pthread_self();
  pthread_t first, second, third;
  pthread_create(&first, 0, die, 0);
  pthread_create(&second, 0, repair, 0);
  pthread_create(&third, 0, outlive, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  last = 1;
  pthread_exit(0);
}
