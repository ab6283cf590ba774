// A parallel region is as many threads as there are cores; it ends with a join.
// FLAGS: -fopenmp
static int bad, good, after;

int main() {
#pragma omp parallel
  {
    bad = 1;  //#bad EXPECT: data-race wr with wr #bad
#pragma omp critical
    good++;
  }
  after = bad + good;
  return after;
}
