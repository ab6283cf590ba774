// OpenMP: with nowait the second loop may read what the first has not written yet.
// flags: -fopenmp
// compilers: plugin
// expect race: data-race data[[]*
#include <stdio.h>
int data[16], copies[16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for nowait
    for (int i = 0; i < 16; ++i) data[i] = i;
#pragma omp for
    for (int i = 0; i < 16; ++i) copies[i] = data[15 - i];
  }
  printf("%d\n", copies[0] >= 0);
}
