// Threads and locks of C11.
#include <threads.h>

static mtx_t mutex;
static int guarded;
static int bare;
static int counter;

static int worker(void* argument) {
  (void)argument;
  bare = 1;  //#bare  // EXPECT: data-race wr with wr #bare
  mtx_lock(&mutex);
  guarded++;
  mtx_unlock(&mutex);
  mtx_lock(&mutex);
  int seen = counter;
  mtx_unlock(&mutex);
  mtx_lock(&mutex);
  counter = seen + 1;  // EXPECT: RwW
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  thrd_t threads[2];
  mtx_init(&mutex, mtx_plain);
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], worker, 0);
  bare = 2;  // EXPECT: data-race wr with wr #bare
  mtx_lock(&mutex);
  guarded = 0;
  mtx_unlock(&mutex);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], 0);
  bare = 3;
  return guarded + counter;
}
