// Heat on a grid: each thread has some rows, a barrier between the rounds.
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 2;
  const int size = count > 2 ? std::atoi(words[2]) : 400;
  const size_t width = static_cast<size_t>(size) + 2;
  std::vector<double> now(width * width, 0.0);
  std::vector<double> next(width * width, 0.0);
  for (size_t i = 0; i < width; ++i) now[i] = next[i] = 100.0;
  std::barrier phase(threads);
  const auto work = [&](int me) {
    double* from = now.data();
    double* to = next.data();
    for (int round = 0; round < 150; ++round) {
      for (size_t row = 1 + me; row <= static_cast<size_t>(size); row += threads) {
        for (size_t k = 1; k <= static_cast<size_t>(size); ++k) {
          const size_t at = row * width + k;
          to[at] = 0.25 * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
        }
      }
      std::swap(from, to);
      phase.arrive_and_wait();
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.6f\n", now[width + 1]);
}
