// The second barrier of the phase is forgotten.
// expect race: data-race cell*
#include <pthread.h>

static pthread_barrier_t barrier;
static int cell[2];
static int sum[2];

static void* work(void* argument) {
  int me = *(int*)argument;
  for (int i = 0; i < 20; ++i) {
    cell[me] = i;
    pthread_barrier_wait(&barrier);
    sum[me] += cell[1 - me];
  }
  return 0;
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  pthread_barrier_init(&barrier, 0, 2);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, &numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return sum[0] < 0;
}
