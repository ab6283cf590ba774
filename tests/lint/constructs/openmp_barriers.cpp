// Barriers divide what the threads of a team do: also those at the end of loops, sections and
// singles, unless they say nowait.
// FLAGS: -fopenmp
#include <omp.h>

static int written, alone, early, late, sum, again, head, first[100], last;

static void orphans() {
#pragma omp single
  again = 1;
#pragma omp single
  again = 2;
}

int main() {
  int result = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) written = 1;
#pragma omp barrier
    result = written;  //#result EXPECT: data-race wr with wr #result
#pragma omp single
    alone = 1;
    int copy = alone;
#pragma omp single nowait
    early = 1;         //#early
    copy += early;     // EXPECT: data-race rd with wr #early
#pragma omp master
    late = 1;          //#late
    copy += late;      // EXPECT: data-race rd with wr #late
    orphans();
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i + copy;
#pragma omp for nowait
    for (int i = 0; i < 100; i++) first[i] = i;    //#first
#pragma omp for
    for (int i = 0; i < 99; i++) first[i + 1] = i;  // EXPECT: data-race wr with wr #first
#pragma omp for
    for (int i = 0; i < 100; i++) last += first[99 - i];  //#last EXPECT: data-race rd with wr #last; data-race wr with wr #last
    for (int k = 0; k < 10; k++) {
#pragma omp barrier
#pragma omp master
      head = k;
#pragma omp barrier
      copy = head;
    }
  }
  return result + sum + last;
}
