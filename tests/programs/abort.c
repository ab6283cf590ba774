// The process ends by abort(): what was recorded before is there.
// expect race: data-race value
// status: 134
#include <pthread.h>
#include <stdlib.h>
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
  abort();
}
