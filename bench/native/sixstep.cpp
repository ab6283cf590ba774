// A Fourier transform of a matrix of complex numbers: transposed, its rows transformed, turned
// by roots, and transposed back. Threads have rows each, a barrier between the steps: columns
// are written far apart, and real and imaginary parts are fields side by side.
#include <barrier>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Complex {
  double re;
  double im;
};

struct Rows {
  size_t first;
  size_t end;
};

void transpose(const Complex* from, Complex* to, size_t size, Rows rows) {
  for (size_t i = rows.first; i < rows.end; ++i) {
    for (size_t k = 0; k < size; ++k) {
      to[k * size + i].re = from[i * size + k].re;
      to[k * size + i].im = from[i * size + k].im;
    }
  }
}

void reverse(Complex* row, size_t size) {
  for (size_t i = 0, k = 0; i < size; ++i) {
    if (i < k) std::swap(row[i], row[k]);
    for (size_t bit = size / 2; bit > 0 && ((k ^= bit) & bit) == 0; bit /= 2) {
    }
  }
}

void transform(Complex* row, const Complex* roots, size_t size) {
  reverse(row, size);
  for (size_t half = 1; half < size; half *= 2) {
    const Complex* const mine = roots + half;  // of this stage
    for (size_t start = 0; start < size; start += 2 * half) {
      for (size_t k = 0; k < half; ++k) {
        Complex& a = row[start + k];
        Complex& b = row[start + half + k];
        const double re = mine[k].re * b.re - mine[k].im * b.im;
        const double im = mine[k].re * b.im + mine[k].im * b.re;
        b.re = a.re - re;
        b.im = a.im - im;
        a.re += re;
        a.im += im;
      }
    }
  }
}

void turn(Complex* row, const Complex* by, size_t size) {
  for (size_t k = 0; k < size; ++k) {
    const double re = row[k].re * by[k].re - row[k].im * by[k].im;
    row[k].im = row[k].re * by[k].im + row[k].im * by[k].re;
    row[k].re = re;
  }
}

int main(int count, char** words) {
  const size_t threads = count > 1 ? static_cast<size_t>(std::atoi(words[1])) : 2;
  const size_t size = count > 2 ? static_cast<size_t>(std::atoi(words[2])) : 512;
  std::vector<Complex> data(size * size);
  std::vector<Complex> other(size * size);
  std::vector<Complex> turns(size * size);
  std::vector<Complex> roots(2 * size);
  for (size_t half = 1; half < size; half *= 2) {
    for (size_t k = 0; k < half; ++k) {
      const double angle = -M_PI * static_cast<double>(k) / static_cast<double>(half);
      roots[half + k] = {std::cos(angle), std::sin(angle)};
    }
  }
  for (size_t i = 0; i < size * size; ++i) {
    const double angle = -2 * M_PI * static_cast<double>(i / size * (i % size)) /
                         static_cast<double>(size * size);
    turns[i] = {std::cos(angle), std::sin(angle)};
    data[i] = {static_cast<double>(i % 17), static_cast<double>(i % 5)};
  }
  std::barrier phase(static_cast<std::ptrdiff_t>(threads));
  const auto work = [&](size_t me) {
    const Rows rows = {size * me / threads, size * (me + 1) / threads};
    transpose(data.data(), other.data(), size, rows);
    phase.arrive_and_wait();
    for (size_t i = rows.first; i < rows.end; ++i) {
      transform(other.data() + i * size, roots.data(), size);
      turn(other.data() + i * size, turns.data() + i * size, size);
    }
    phase.arrive_and_wait();
    transpose(other.data(), data.data(), size, rows);
    phase.arrive_and_wait();
    for (size_t i = rows.first; i < rows.end; ++i) {
      transform(data.data() + i * size, roots.data(), size);
    }
    phase.arrive_and_wait();
    transpose(data.data(), other.data(), size, rows);
  };
  std::vector<std::thread> pool;
  for (size_t i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.6f %.6f\n", other[1].re, other[size].im);
}
