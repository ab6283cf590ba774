// Functions that write what their callers have read: by the parameter, by another pointer, by a
// function that it is handed on to, by memset. Reads that tell nothing must not take writes with
// them.
// expect hb: data-race *by_parameter
// expect hb: data-race *further_down
// expect hb: data-race *by_memset
// expect hb: data-race *by_another
// compilers: plugin
#include <cstring>
#include <thread>

struct A {
  long by_parameter = 1;
};
struct B {
  long further_down = 1;
};
struct C {
  long by_memset = 1;
};
struct D {
  long by_another = 1;
};
static A a;
static B b;
static C c;
static D d;
static long sums[2];

__attribute__((noinline)) long write_it(A& at, long depth) {
  const long here = at.by_parameter;
  if (depth > 0) return write_it(at, depth - 1) * here + write_it(at, depth - 2);
  at.by_parameter = here + 1;
  return here;
}

__attribute__((noinline)) void put(B& at) { at.further_down = 5; }
__attribute__((noinline)) long hand_on(B& at, long depth) {
  const long here = at.further_down;
  if (depth > 0) return hand_on(at, depth - 1) * here + hand_on(at, depth - 2);
  put(at);
  return here;
}

__attribute__((noinline)) long clear(C& at, long depth) {
  const long here = at.by_memset;
  if (depth > 0) return clear(at, depth - 1) * here + clear(at, depth - 2);
  std::memset(&at, static_cast<int>(here), sizeof at);
  return here;
}

__attribute__((noinline)) long change(const D& at, D* same, long depth) {
  const long here = at.by_another;
  if (depth > 0) return change(at, same, depth - 1) * here + change(at, same, depth - 2);
  same->by_another = here + 1;
  return here;
}

// The other thread only reads: what races with it is the writes.
int main() {
  std::thread writer([] { sums[0] = write_it(a, 3) + hand_on(b, 3) + clear(c, 3) + change(d, &d, 3); });
  std::thread reader([] { sums[1] = a.by_parameter + b.further_down + c.by_memset + d.by_another; });
  writer.join();
  reader.join();
  return sums[0] + sums[1] == 0;
}
