// What OpenMP's threads share out: sections, private copies, elements of an array.
// FLAGS: -fopenmp
#include <omp.h>

static omp_lock_t lock;
static int first, second, both, locked, parts[64], shifted[100], rows[100], turned[100];

int main() {
  int copy = 0;
#pragma omp parallel sections
  {
#pragma omp section
    {
      first++;
      both = 1;  //#both
    }
#pragma omp section
    {
      second++;
      both = 2;  // EXPECT: data-race wr with wr #both
    }
  }
#pragma omp parallel firstprivate(copy)
  {
    copy++;
    omp_set_lock(&lock);
    locked++;
    omp_unset_lock(&lock);
    const int number = omp_get_thread_num();
    parts[number] = copy;
  }
#pragma omp parallel for
  for (int i = 1; i < 100; i++) {
    shifted[i] =           //#shifted
        shifted[i - 1];    // EXPECT: data-race rd with wr #shifted
  }
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 10; i++) {
    for (int j = 0; j < 10; j++) rows[i * 10 + j] += parts[j];
  }
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < 100; i++) turned[i] = i;
#pragma omp for
    for (int i = 0; i < 100; i++) rows[i] = turned[99 - i];
  }
  return copy + first + second + locked;
}
