// Workers wait for jobs, and wait again when they have done one. Each was asleep whenever
// the other one's job came, but it need not have been: a job may also come while another
// is being done.
// expect race: data-race hits
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

std::mutex mutex;
std::condition_variable changed;
std::queue<int> jobs;
int hits = 0;

void work() {
  for (int done = 0; done < 3; ++done) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return !jobs.empty(); });
    const int job = jobs.front();
    jobs.pop();
    lock.unlock();
    hits += job;
  }
}

int main() {
  std::thread first(work);
  std::thread second(work);
  for (int job = 0; job < 6; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    {
      const std::lock_guard guard(mutex);
      jobs.push(job);
    }
    changed.notify_one();
  }
  first.join();
  second.join();
}
