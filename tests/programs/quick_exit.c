// The process ends by _exit(), without any cleanup.
// expect race: data-race value
// status: 4
#include <pthread.h>
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
  _exit(4);
}
