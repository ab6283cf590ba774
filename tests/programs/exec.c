// The process becomes another program.
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
  usleep(200000);
  value = 2;
  execl("/bin/true", "true", (char*)0);
  return 1;
}
