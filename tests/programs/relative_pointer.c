// A structure in one block says how far away an array in another block is. Who reads that array is
// not thought to read the block that the structure is in: what a loop writes to it came later.
// expect none
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct relative {
  long distance;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct relative* to_array;
int* array;
long places[64];
long x;

__attribute__((noinline)) static long sum_and_clear(int* cleared, const struct relative* from,
                                                    const long* at, long count) {
  const int* const summed = (const int*)((const char*)from + from->distance);
  long sum = 0;
  for (long i = 0; i < count; ++i) {
    sum += summed[at[i]];
    cleared[i] = 0;
  }
  return sum;
}

static void* set_it(void* unused) {
  x = 1;
  pthread_mutex_lock(&mutex);
  array[30] = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* clear_it(void* unused) {
  usleep(50000);
  pthread_mutex_lock(&mutex);
  const long sum = sum_and_clear(array, to_array, places, 64);
  pthread_mutex_unlock(&mutex);
  if (sum != 0) x = 2;
  return unused;
}

int main(void) {
  array = calloc(1 << 14, sizeof *array);
  void* volatile between = malloc(40000);
  to_array = malloc(1 << 15);
  to_array->distance = (char*)array - (char*)to_array;
  for (int i = 0; i < 64; ++i) places[i] = i / 2 + 20;
  pthread_t first, second;
  pthread_create(&first, NULL, set_it, NULL);
  pthread_create(&second, NULL, clear_it, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  free(between);
  return 0;
}
