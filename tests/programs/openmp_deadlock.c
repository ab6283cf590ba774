// OpenMP: two named critical regions, nested both ways round.
// flags: -fopenmp
// compilers: plugin
// expect deadlock: deadlock *
#include <stdio.h>
int a, b;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
#pragma omp critical(first)
      {
#pragma omp critical(second)
        ++a;
      }
    }
#pragma omp barrier
  }
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(first)
      {
#pragma omp critical(second)
        ++a;
      }
    }
#pragma omp section
    {
      for (volatile int i = 0; i < 20000000; ++i) {
      }
#pragma omp critical(second)
      {
#pragma omp critical(first)
        ++b;
      }
    }
  }
  printf("%d %d\n", a, b);
}
