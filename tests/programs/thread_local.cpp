// Thread-local objects are not shared; their destructors belong to the thread.
// expect none
#include <mutex>
#include <thread>

std::mutex mutex;
int total = 0;

struct Counter {
  int count = 0;
  ~Counter() {
    const std::lock_guard guard(mutex);
    total += count;
  }
};
thread_local Counter counter;

int main() {
  const auto work = [] {
    for (int i = 0; i < 10; ++i) ++counter.count;
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return total != 20;
}
