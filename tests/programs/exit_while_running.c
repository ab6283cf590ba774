// The process ends by exit() while a thread still works.
// expect race: data-race value
// status: 3
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int value;

static void* work(void* unused) {
  value = 1;
  for (;;) pause();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  usleep(200000);
  value = 2;
  exit(3);
}
