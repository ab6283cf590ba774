// Loops over one array that never touch the same element: halves, every other
// element, a condition, an early end, no round at all, and a loop in a loop.
// expect none
#include <algorithm>
#include <thread>
#include <vector>

constexpr int kSize = 600;

static void work(double* data, const int* limits, int me) {
  const int half = kSize / 2;
  for (int i = me * half; i < (me + 1) * half; ++i) data[i] = i;  // a half
  for (int i = kSize + me; i < 2 * kSize; i += 2) data[i] += 1;   // every other
  for (int i = 2 * kSize; i < 3 * kSize; ++i) {
    if (i % 2 == me) data[i] = 2 * data[i] + 1;  // a condition
  }
  for (int i = 3 * kSize + me * half; i < 4 * kSize; ++i) {  // an early end
    if (i >= limits[me]) break;
    data[i] += 3;
  }
  for (int i = 4 * kSize; i < 4 * kSize - me; ++i) data[i] = 0;  // no round
  for (int row = me; row < 20; row += 2) {
    for (int k = 0; k < 30; ++k) data[4 * kSize + row * 30 + k] += row;  // rows
  }
}

int main() {
  std::vector<double> values(5 * kSize, 1.0);
  const int limits[2] = {3 * kSize + kSize / 2, 4 * kSize};
  std::thread first([&] { work(values.data(), limits, 0); });
  std::thread second([&] { work(values.data(), limits, 1); });
  first.join();
  second.join();
  return std::count(values.begin(), values.end(), 0.0) > 5 * kSize;
}
