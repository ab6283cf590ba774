// A block is freed and its address used again by the other thread: no race.
// expect none
#include <mutex>
#include <thread>

std::mutex mutex;

int main() {
  const auto work = [] {
    for (int i = 0; i < 100; ++i) {
      int* const block = new int(i);
      *block += 1;
      delete block;
      const std::lock_guard guard(mutex);
    }
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
