// OpenMP: every thread of the team counts without protection.
// flags: -fopenmp
// compilers: plugin
// expect race: data-race total
#include <stdio.h>
int total, protected_total;

int main(void) {
  int values[64];
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) values[i] = i;
#pragma omp parallel num_threads(2)
  { total = total + 1; }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) {
#pragma omp critical
    protected_total += values[63 - i];
  }
  printf("%d\n", protected_total);
}
