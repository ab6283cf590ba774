// OpenMP: tasks that are waited for, by taskwait, by a taskgroup, by a barrier, and by dependences.
// flags: -fopenmp
// compilers: plugin
// expect none
#include <stdio.h>

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int results[8], grouped[8], chain, early, late, number;

int main(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    {
      number = fibonacci(7);
#pragma omp taskgroup
      {
        for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
          {
#pragma omp task
            grouped[i] = i;
          }
        }
      }
      for (int i = 0; i < 8; ++i) number += grouped[i];
#pragma omp task depend(out : chain)
      chain = 1;
#pragma omp task depend(in : chain)
      early = chain;
#pragma omp task depend(in : chain)
      late = chain + 1;
#pragma omp task depend(inout : chain)
      chain = 5 + early + late;
      for (int i = 0; i < 8; ++i) {
#pragma omp task
        results[i] = i;
      }
    }  // its barrier waits for all tasks
    if (results[7] + chain < 0) printf("never\n");
  }
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < 8; ++i) results[i] += grouped[7 - i];
  printf("%d %d %d\n", number, chain, results[0]);
}
