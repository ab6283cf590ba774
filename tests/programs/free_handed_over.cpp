// Blocks that are given back by another thread than the one that made them, or by whoever
// is last: a queue under a lock, shared pointers, futures, a thread's argument, vectors that
// grow and strings that move.
// expect none
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Job {
  int number;
  std::string name;
  std::vector<int> data;
};
std::mutex mutex;
std::condition_variable changed;
std::deque<std::unique_ptr<Job>> jobs;

int main() {
  std::thread maker([] {
    for (int i = 0; i < 100; ++i) {
      auto job = std::make_unique<Job>(Job{i, std::string(40, 'x'), {1, 2, 3}});
      const std::lock_guard guard(mutex);
      jobs.push_back(std::move(job));
      changed.notify_one();
    }
  });
  long sum = 0;
  for (int i = 0; i < 100; ++i) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return !jobs.empty(); });
    std::unique_ptr<Job> job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    if (i % 2 == 0) sum += job->number + static_cast<long>(job->data.size() + job->name.size());
  }
  maker.join();
  auto shared = std::make_shared<std::vector<int>>(10, 1);
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([shared] {
      volatile int total = 0;
      for (const int value : *shared) total = total + value;
    });
  }
  shared.reset();
  for (std::thread& reader : readers) reader.join();
  auto text = std::async(std::launch::async, [] { return std::make_unique<std::string>(50, 'y'); });
  sum += static_cast<long>(text.get()->size());
  std::vector<std::string> words;
  std::thread writer([&words] {
    for (int i = 0; i < 50; ++i) words.push_back(std::string(30, 'z'));
  });
  writer.join();
  words.clear();
  return sum > 0 ? 0 : 1;
}
