// A child process has memory of its own.
// expect none
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

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
  pid_t child = fork();
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
  if (child == 0) _exit(value == 2 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return value != 2 || status != 0;
}
