// LU decomposition of a matrix, columns dealt out to threads, a barrier a step.
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 2;
  const int size = count > 2 ? std::atoi(words[2]) : 600;
  std::vector<double> matrix(static_cast<size_t>(size) * size);
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < size; ++k) matrix[static_cast<size_t>(i) * size + k] = 1.0 / (1 + i + k);
    matrix[static_cast<size_t>(i) * size + i] += size;
  }
  std::barrier phase(threads);
  const auto work = [&](int me) {
    double* const m = matrix.data();
    for (int step = 0; step < size; ++step) {
      for (int row = step + 1; row < size; ++row) {
        if (row % threads != me) continue;
        const double factor = m[row * size + step] /= m[step * size + step];
        for (int k = step + 1; k < size; ++k) m[row * size + k] -= factor * m[step * size + k];
      }
      phase.arrive_and_wait();
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.6f\n", matrix.back());
}
