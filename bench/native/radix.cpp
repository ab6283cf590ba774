// Radix sort: each thread counts the digits of its keys, a prefix sum, then each
// writes its keys to where they belong: writes all over an array.
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr size_t kDigits = 256;

int main(int count, char** words) {
  const size_t threads = count > 1 ? static_cast<size_t>(std::atoi(words[1])) : 2;
  const size_t size = count > 2 ? static_cast<size_t>(std::atoi(words[2])) : 2000000;
  std::vector<uint32_t> keys(size);
  std::vector<uint32_t> other(size);
  uint32_t seed = 7;
  for (uint32_t& key : keys) key = seed = seed * 1664525 + 1013904223;
  std::vector<size_t> starts(threads * kDigits);
  std::barrier phase(static_cast<std::ptrdiff_t>(threads));
  const auto work = [&](size_t me) {
    const size_t first = size * me / threads;
    const size_t last = size * (me + 1) / threads;
    uint32_t* from = keys.data();
    uint32_t* to = other.data();
    for (uint32_t shift = 0; shift < 32; shift += 8) {
      size_t* const mine = starts.data() + me * kDigits;
      for (size_t digit = 0; digit < kDigits; ++digit) mine[digit] = 0;
      for (size_t i = first; i < last; ++i) ++mine[from[i] >> shift & (kDigits - 1)];
      phase.arrive_and_wait();
      if (me == 0) {
        size_t sum = 0;
        for (size_t digit = 0; digit < kDigits; ++digit) {
          for (size_t thread = 0; thread < threads; ++thread) {
            const size_t number = starts[thread * kDigits + digit];
            starts[thread * kDigits + digit] = sum;
            sum += number;
          }
        }
      }
      phase.arrive_and_wait();
      for (size_t i = first; i < last; ++i) {
        to[mine[from[i] >> shift & (kDigits - 1)]++] = from[i];
      }
      std::swap(from, to);
      phase.arrive_and_wait();
    }
  };
  std::vector<std::thread> pool;
  for (size_t i = 0; i < threads; ++i) pool.emplace_back(work, i);
  for (std::thread& thread : pool) thread.join();
  for (size_t i = 1; i < size; ++i) {
    if (keys[i - 1] > keys[i]) return 1;
  }
  std::printf("%u\n", keys[size / 2]);
}
