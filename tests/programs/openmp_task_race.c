// OpenMP: the parent reads what its task writes, and does not wait for it.
// flags: -fopenmp
// compilers: plugin
// expect race: data-race answer
#include <stdio.h>
#include <unistd.h>
int answer;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
#pragma omp task
      answer = 42;
      usleep(100000);  // long enough for the other thread to take the task
      printf("%d\n", answer >= 0);
    }
  }
}
