// LU decomposition of a matrix by blocks of 16 columns and rows, which are dealt out to threads,
// with barriers between the steps: short loops over parts of columns, again and again.
#include <algorithm>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr long kBlock = 16;

// to += factor * from
void add(double* to, const double* from, long count, double factor) {
  for (long i = 0; i < count; ++i) to[i] += factor * from[i];
}

// A matrix by columns, of which these are parts, `width` apart.
void factor_diagonal(double* a, long width, long size) {
  for (long k = 0; k < size; ++k) {
    for (long i = k + 1; i < size; ++i) a[i + k * width] /= a[k + k * width];
    for (long j = k + 1; j < size; ++j) {
      add(a + k + 1 + j * width, a + k + 1 + k * width, size - k - 1, -a[k + j * width]);
    }
  }
}

void divide_below(double* a, const double* diagonal, long width, long rows, long columns) {
  for (long k = 0; k < columns; ++k) {
    const double pivot = diagonal[k + k * width];
    for (long i = 0; i < rows; ++i) a[i + k * width] /= pivot;
    for (long j = k + 1; j < columns; ++j) {
      add(a + j * width, a + k * width, rows, -diagonal[k + j * width]);
    }
  }
}

void reduce_right(double* c, const double* diagonal, long width, long rows, long columns) {
  for (long k = 0; k < rows; ++k) {
    for (long j = 0; j < columns; ++j) {
      add(c + k + 1 + j * width, diagonal + k + 1 + k * width, rows - k - 1, -c[k + j * width]);
    }
  }
}

void reduce_inside(const double* below, const double* right, double* c, long width, long rows,
                   long columns, long inner) {
  for (long k = 0; k < inner; ++k) {
    for (long j = 0; j < columns; ++j) {
      add(c + j * width, below + k * width, rows, -right[k + j * width]);
    }
  }
}

int main(int count, char** words) {
  const long threads = count > 1 ? std::atol(words[1]) : 2;
  const long size = count > 2 ? std::atol(words[2]) : 600;
  std::vector<double> matrix(static_cast<size_t>(size) * size);
  for (long i = 0; i < size * size; ++i) matrix[i] = 1.0 / (1 + i % 97);
  for (long i = 0; i < size; ++i) matrix[i * size + i] += static_cast<double>(size);
  std::barrier phase(threads);
  const auto work = [&](long me) {
    double* const m = matrix.data();
    const auto extent = [&](long at) { return std::min(kBlock, size - at); };
    const auto is_mine = [&](long i, long j) { return (i / kBlock + j / kBlock) % threads == me; };
    const auto block = [&](long i, long j) { return m + i + j * size; };
    for (long k = 0; k < size; k += kBlock) {
      if (is_mine(k, k)) factor_diagonal(block(k, k), size, extent(k));
      phase.arrive_and_wait();
      for (long i = k + kBlock; i < size; i += kBlock) {
        if (is_mine(i, k)) divide_below(block(i, k), block(k, k), size, extent(i), extent(k));
        if (is_mine(k, i)) reduce_right(block(k, i), block(k, k), size, extent(k), extent(i));
      }
      phase.arrive_and_wait();
      for (long i = k + kBlock; i < size; i += kBlock) {
        for (long j = k + kBlock; j < size; j += kBlock) {
          if (!is_mine(i, j)) continue;
          reduce_inside(block(i, k), block(k, j), block(i, j), size, extent(i), extent(j),
                        extent(k));
        }
      }
    }
  };
  std::vector<std::thread> pool;
  for (long i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.6f\n", matrix.back());
}
