// Loops that step over elements, of one array or structure, and never touch the same one:
// columns of a matrix, every third element from either end, fields of the same structures, the
// parts of complex numbers, steps that are not known before, and steps of nothing.
// expect none
#include <thread>
#include <vector>

struct Body {
  double place;
  float mass[2];
  double speed;
};
struct __attribute__((packed)) Packed {
  char tag;
  double value;
  char end;
};
constexpr long kSize = 240;

// No restrict: what is written may be what is read.
__attribute__((noinline)) static void add(double* to, long to_step, const double* from,
                                          long from_step, long rounds) {
  for (long i = 0; i < rounds; ++i) to[i * to_step] += from[i * from_step];
}

static void work(double* matrix, Body* bodies, Packed* packed, long me) {
  for (long column = me; column < kSize; column += 2) {
    for (long row = 0; row < kSize; ++row) matrix[row * kSize + column] += 1;
  }
  for (long i = 0; i < kSize; ++i) bodies[i].mass[me] = 1;
  if (me == 0) {
    for (long i = 0; i < kSize; ++i) bodies[i].place = matrix[i * kSize];
    for (long i = 0; i < kSize; ++i) packed[i].tag = 1;
    for (long i = kSize - 1; i >= 0; i -= 3) packed[i].value = 1;
  } else {
    for (long i = kSize - 1; i >= 0; --i) bodies[i].speed += matrix[i * kSize + 1];
    for (long i = 0; i < kSize; ++i) packed[i].end += 1;
    for (long i = 0; i < kSize - 1; i += 3) packed[i].value += 1;
  }
  double* const mine = matrix + kSize * kSize;
  add(mine + me, 2, mine + me + 400, 2, 200);         // every other
  add(mine + 1000 + me, 0, mine + 1002 + me, 2, 50);  // one place
  add(mine + 1200 + me * 200, -1, mine + 1300 + me * 200, -2, 50);
  add(mine + 1600 + me, 10, mine + 1700 + me, 10, 5);  // few
}

int main() {
  std::vector<double> matrix(kSize * kSize + 2000, 1.0);
  std::vector<Body> bodies(kSize);
  std::vector<Packed> packed(kSize);
  std::thread first([&] { work(matrix.data(), bodies.data(), packed.data(), 0); });
  std::thread second([&] { work(matrix.data(), bodies.data(), packed.data(), 1); });
  first.join();
  second.join();
}
