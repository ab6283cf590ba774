// A detached thread that nobody waits for.
// expect race: data-race value
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
  pthread_detach(thread);
  usleep(50000);
  return value > 1;
}
