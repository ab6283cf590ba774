// Threads that only read what was written before them.
// expect none
#include <numeric>
#include <thread>
#include <vector>

int main() {
  std::vector<int> numbers(1000, 1);
  int sums[2] = {0, 0};
  std::thread first([&] { sums[0] = std::accumulate(numbers.begin(), numbers.end(), 0); });
  std::thread second([&] { sums[1] = std::accumulate(numbers.begin(), numbers.end(), 0); });
  first.join();
  second.join();
  return sums[0] + sums[1] != 2000;
}
