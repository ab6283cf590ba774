// Loops over arrays that overlap by one element.
// expect race: data-race *
// lines: 14 19
#include <thread>
#include <vector>

constexpr int kSize = 1000;

int main(int count, char**) {
  std::vector<double> values(kSize, 1.0);
  double* const data = values.data();
  const int half = kSize / 2 + count - 1;
  std::thread first([=] {
    for (int i = 0; i <= half; ++i) data[i] += 1;
  });
  std::thread second([=] {
    double sum = 0;
    // Downwards, so that the range is in front of where the loop starts.
    for (int i = kSize - 1; i >= half; --i) sum += data[i];
    volatile double kept = sum;
    (void)kept;
  });
  first.join();
  second.join();
}
