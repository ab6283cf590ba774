// Work that is handed from thread to thread through one queue with a lock and a
// condition: bound by locks and by waiting.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 2;
  const int jobs = count > 2 ? std::atoi(words[2]) : 200000;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::vector<int>> waiting;
  bool done = false;
  long sum = 0;
  const auto work = [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return done || !waiting.empty(); });
      if (waiting.empty()) return;
      std::vector<int> job = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      long part = 0;
      for (int round = 0; round < 20; ++round) {
        for (int& number : job) part += number = number * 17 + 3;
      }
      const std::lock_guard again(mutex);
      sum += part & 1;
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work);
  for (int i = 0; i < jobs; ++i) {
    std::vector<int> job(32, i);
    const std::lock_guard guard(mutex);
    waiting.push_back(std::move(job));
    changed.notify_one();
  }
  {
    const std::lock_guard guard(mutex);
    done = true;
    changed.notify_all();
  }
  for (std::thread& thread : pool) thread.join();
  std::printf("%ld\n", sum);
}
