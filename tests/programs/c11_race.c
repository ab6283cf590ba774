// C11's threads without a lock.
// expect race: data-race value
#include <threads.h>

static int value;

static int work(void* unused) {
  (void)unused;
  ++value;
  return 0;
}

int main(void) {
  thrd_t threads[2];
  for (int i = 0; i < 2; ++i) thrd_create(&threads[i], work, 0);
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], 0);
  return value < 0;
}
