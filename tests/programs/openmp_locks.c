// OpenMP: its locks, nestable ones and test_lock included, and named critical regions.
// flags: -fopenmp
// compilers: plugin
// expect none
#include <omp.h>
#include <stdio.h>
int plain, nested, tried, named;
omp_lock_t lock;
omp_nest_lock_t nest_lock;

static void add_nested(int depth) {
  omp_set_nest_lock(&nest_lock);
  ++nested;
  if (depth > 0) add_nested(depth - 1);
  omp_unset_nest_lock(&nest_lock);
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
#pragma omp parallel num_threads(3)
  {
    for (int i = 0; i < 10; ++i) {
      omp_set_lock(&lock);
      ++plain;
      omp_unset_lock(&lock);
      add_nested(2);
      if (omp_test_lock(&lock)) {
        ++plain;
        omp_unset_lock(&lock);
      }
#pragma omp critical(outer)
      {
#pragma omp critical(inner)
        ++named;
      }
#pragma omp atomic
      ++tried;
    }
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
  printf("%d %d %d\n", nested, named, tried);
}
