// pthread_once initialises for everyone.
// expect none
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[4];

static void make_table(void) {
  for (int i = 0; i < 4; ++i) table[i] = i;
}

static void* use(void* unused) {
  pthread_once(&once, make_table);
  return table[3] == 3 ? unused : &table;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, use, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
