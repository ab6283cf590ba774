// Counts words: maps of each thread's own, merged under a lock. Mostly memory
// that one thread allocates and uses alone.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 2;
  const int number = count > 2 ? std::atoi(words[2]) : 300000;
  std::mutex mutex;
  std::map<std::string, long> all;
  const auto work = [&](unsigned seed) {
    std::map<std::string, long> mine;
    for (int i = 0; i < number; ++i) {
      seed = seed * 1664525 + 1013904223;
      ++mine["word" + std::to_string(seed >> 8 & 1023)];
    }
    const std::lock_guard guard(mutex);
    for (const auto& [word, times] : mine) all[word] += times;
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work, static_cast<unsigned>(i + 1));
  for (std::thread& thread : pool) thread.join();
  std::printf("%zu\n", all.size());
}
