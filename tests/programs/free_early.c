// A block is freed, and another thread reads it later: nothing keeps it from that.
// expect hb: data-race *
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int* block;
static volatile int sum;

static void* give_back(void* unused) {
  (void)unused;
  free(block);
  return NULL;
}
static void* use(void* unused) {
  (void)unused;
  usleep(20000);
  sum += block[1];
  return NULL;
}

int main(void) {
  block = malloc(4 * sizeof(int));
  block[1] = 5;
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, give_back, NULL);
  pthread_create(&threads[1], NULL, use, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
