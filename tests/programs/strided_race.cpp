// Loops that step over elements: down the columns of a matrix, and over one field of
// structures. Two of them meet in one element each.
// expect race: data-race *
// lines: 21 25
// expect race: data-race *
// lines: 22 27
#include <thread>
#include <vector>

struct Body {
  double place;
  double speed[4];
};
constexpr long kSize = 200;

int main(int count, char**) {
  std::vector<double> matrix(kSize * kSize, 1.0);
  std::vector<Body> bodies(kSize);
  const long width = kSize + count - 1;  // not known to the compiler
  std::thread first([&, data = matrix.data(), body = bodies.data()] {
    for (long i = 0; i < width; ++i) data[i * width + 7] += 1;
    for (long i = 0; i <= width / 2; ++i) body[i].speed[1] = 2;
  });
  std::thread second([&, data = matrix.data(), body = bodies.data()] {
    for (long i = width - 1; i >= 0; --i) data[i * (width + 1)] = 3;  // the diagonal, upwards
    double sum = 0;
    for (long i = width / 2; i < width; ++i) sum += body[i].speed[1];
    volatile double kept = sum;
    (void)kept;
  });
  first.join();
  second.join();
}
