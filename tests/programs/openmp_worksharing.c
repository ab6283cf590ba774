// OpenMP: loops, sections, single, reductions, barriers and ordered parts, all of them right.
// flags: -fopenmp
// compilers: plugin
// expect none
#include <stdio.h>
int data[100], copies[100], sum, largest, first, second, steps[20], step_count;

int main(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < 100; ++i) data[i] = i;
#pragma omp for
    for (int i = 0; i < 100; ++i) copies[i] = data[99 - i];
#pragma omp single
    first = copies[0];
#pragma omp for reduction(+ : sum) reduction(max : largest)
    for (int i = 0; i < 100; ++i) {
      sum += copies[i] + first;
      if (copies[i] > largest) largest = copies[i];
    }
#pragma omp sections
    {
#pragma omp section
      first = sum;
#pragma omp section
      second = largest;
    }
#pragma omp masked
    first += second;
#pragma omp barrier
    if (first < second) printf("never\n");
#pragma omp for ordered
    for (int i = 0; i < 20; ++i) {
#pragma omp ordered
      steps[step_count++] = i;
    }
  }
  int product = 1;
#pragma omp parallel for reduction(* : product) num_threads(4)
  for (int i = 1; i < 10; ++i) product *= i;
  printf("%d %d %d %d %d\n", sum, largest, first, steps[19], product);
}
