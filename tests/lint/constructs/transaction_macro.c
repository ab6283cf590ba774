// In C, a macro of a header may hide the word __transaction_atomic.
// FLAGS: -fgnu-tm
#include <pthread.h>

#include "../include/atomic_words.h"

static int counter, split;

static void* run(void* unused) {
  int value;
  ATOMIC { counter++; }
  ATOMIC { value = split; }
  ATOMIC { split = value + 1; }  // EXPECT: RwW
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
