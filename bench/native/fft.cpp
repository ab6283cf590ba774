// A fast Fourier transform in place, butterflies dealt out to threads, a barrier a
// stage: accesses with strides.
#include <barrier>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

using Complex = std::complex<double>;

int main(int count, char** words) {
  const size_t threads = count > 1 ? static_cast<size_t>(std::atoi(words[1])) : 2;
  const int log_size = count > 2 ? std::atoi(words[2]) : 17;
  const size_t size = size_t{1} << log_size;
  std::vector<Complex> data(size);
  std::vector<Complex> roots(size / 2);
  for (size_t i = 0; i < size; ++i) data[i] = Complex(std::sin(static_cast<double>(i)), 0);
  for (size_t i = 0; i < size / 2; ++i) {
    roots[i] = std::polar(1.0, -2 * M_PI * static_cast<double>(i) / static_cast<double>(size));
  }
  std::barrier phase(static_cast<std::ptrdiff_t>(threads));
  const auto work = [&](size_t me) {
    for (int round = 0; round < 4; ++round) {
      for (size_t half = size / 2; half > 0; half /= 2) {
        const size_t step = size / 2 / half;
        // Each thread has a part of all butterflies of the stage.
        for (size_t k = size / 2 * me / threads; k < size / 2 * (me + 1) / threads; ++k) {
          const size_t low = k / half * 2 * half + k % half;
          const Complex a = data[low];
          const Complex b = data[low + half];
          data[low] = a + b;
          const Complex d = a - b;
          const Complex w = roots[k % half * step];
          data[low + half] = Complex(d.real() * w.real() - d.imag() * w.imag(),
                                     d.real() * w.imag() + d.imag() * w.real());
        }
        phase.arrive_and_wait();
      }
    }
  };
  std::vector<std::thread> pool;
  for (size_t i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  std::printf("%.6f\n", std::abs(data[1]));
}
