// Functions that call each other with the same object, which another thread writes: only the first
// of their reads has a record, and it races.
// expect race: data-race *low
// expect race: data-race *step
// possible: data-race *high
// compilers: plugin
#include <thread>

struct Limits {
  long low = 1;
  long high = 9;
};
struct Step {
  long step = 1;
};
static Limits limits;
static Step steps;
static long sums[2];

__attribute__((noinline)) long go_down(const Limits& at, long depth) {
  const long here = at.low + at.high;
  if (depth == 0) return here;
  return go_down(at, depth - 1) + go_down(at, depth - 2 < 0 ? 0 : depth - 2) * here;
}

__attribute__((noinline)) long odd(const Step& by, long depth);
__attribute__((noinline)) long even(const Step& by, long depth) {
  const long here = by.step;
  return depth <= 0 ? here : odd(by, depth - 1) * here + odd(by, depth - 3);
}
long odd(const Step& by, long depth) {
  const long here = by.step;
  return depth <= 0 ? here : even(by, depth - 1) * here + even(by, depth - 3);
}

int main() {
  std::thread reader([] {
    sums[0] = go_down(limits, 6);
    sums[1] = even(steps, 6);
  });
  std::thread writer([] {
    limits.low = 2;
    limits.high = 8;
    steps.step = 3;
  });
  reader.join();
  writer.join();
  return sums[0] == 0 || sums[1] == 0;
}
