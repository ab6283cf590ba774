// memcpy reads what another thread writes.
// expect race: data-race *
#include <pthread.h>
#include <string.h>

static char source[64];
static char target[64];

static void* copy(void* unused) {
  memcpy(target, source, sizeof target);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, copy, 0);
  source[17] = 'x';
  pthread_join(thread, 0);
  return target[0] != 0;
}
