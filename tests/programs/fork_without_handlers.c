// A child of _Fork() is a process of its own, as one of fork() is: what it does is not recorded as
// if its parent did it.
// expect none
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t _Fork(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  ++value;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  work(0);
  pid_t child = _Fork();
  for (int i = 0; i < 100; ++i) work(0);
  if (child == 0) _exit(value == 101 ? 0 : 1);
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  int status = 0;
  waitpid(child, &status, 0);
  return value != 103 || status != 0;
}
