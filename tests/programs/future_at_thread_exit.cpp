// Futures that are ready when a thread has ended, and a condition that is notified then.
// expect none
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

static int before, after, by_task, by_condition;
static std::mutex m;
static std::condition_variable changed;
static bool done;

int main() {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread([promise = std::move(promise)]() mutable {
      before = 1;
      promise.set_value_at_thread_exit(2);
      after = 3;
    }).detach();
    sum += future.get() + before + after;

    std::packaged_task<int()> task([] { return by_task = 4; });
    std::future<int> result = task.get_future();
    std::thread([task = std::move(task)]() mutable {
      task.make_ready_at_thread_exit();
      ++by_task;
    }).detach();
    sum += result.get() + by_task;

    std::thread([] {
      std::unique_lock<std::mutex> lock(m);
      by_condition = 6;
      done = true;
      std::notify_all_at_thread_exit(changed, std::move(lock));
    }).detach();
    std::unique_lock<std::mutex> lock(m);
    changed.wait(lock, [] { return done; });
    done = false;
    sum += by_condition;
  }
  std::printf("%d\n", sum);
  return sum == 3 * (2 + 1 + 3 + 4 + 5 + 6) ? 0 : 1;
}
