// The child process has a race of its own.
// expect race: data-race value*
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int value;

static void* work(void* unused) {
  ++value;
  return unused;
}

int main(void) {
  if (fork() == 0) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    _exit(0);
  }
  wait(0);
  return value;
}
