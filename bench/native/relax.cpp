// Red and black points of a grid in turn, by rows that are found by way of pointers, each
// thread some of them, a barrier in between: loops over every other element.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

struct Grid {
  explicit Grid(int size) : values(static_cast<size_t>(size) * size), rows(size) {
    for (int i = 0; i < size; ++i) rows[i] = values.data() + static_cast<size_t>(i) * size;
  }
  std::vector<double> values;
  std::vector<double*> rows;
};

// The points of one colour in some rows; the largest change.
double relax(double** of, double** right, int first, int last, int size, int colour) {
  double most = 0;
  for (int i = first; i < last; ++i) {
    double* const here = of[i];
    const double* const above = of[i - 1];
    const double* const below = of[i + 1];
    const double* const wanted = right[i];
    for (int k = 1 + (i + colour) % 2; k < size - 1; k += 2) {
      const double next = 0.25 * (here[k - 1] + here[k + 1] + above[k] + below[k] - wanted[k]);
      const double change = std::fabs(next - here[k]);
      here[k] = next;
      if (change > most) most = change;
    }
  }
  return most;
}

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 2;
  const int size = count > 2 ? std::atoi(words[2]) : 514;
  Grid solution(size);
  Grid right(size);
  for (int i = 0; i < size; ++i) {
    solution.rows[0][i] = solution.rows[i][0] = 1;
    right.rows[i][size / 2] = 0.001 * i;
  }
  std::barrier phase(threads);
  std::mutex mutex;
  double changed = 0;  // the most in the last round
  const auto work = [&](int me) {
    const int first = 1 + (size - 2) * me / threads;
    const int last = 1 + (size - 2) * (me + 1) / threads;
    for (int round = 0; round < 60; ++round) {
      double most = 0;
      for (int colour = 0; colour < 2; ++colour) {
        const double change =
            relax(solution.rows.data(), right.rows.data(), first, last, size, colour);
        if (change > most) most = change;
        phase.arrive_and_wait();
      }
      {
        const std::lock_guard lock(mutex);
        if (round == 59 && most > changed) changed = most;
      }
      phase.arrive_and_wait();
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.9f %.6f\n", changed, solution.rows[size / 2][size / 2]);
}
