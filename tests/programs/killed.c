// The process kills itself.
// expect race: data-race value
// status: 137
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int value;

static void* work(void* unused) {
  value = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  usleep(200000);
  value = 2;
  kill(getpid(), SIGKILL);
  return 0;
}
