// Readers and a writer.
// expect none
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
int value = 0;

int main() {
  int seen[2] = {0, 0};
  std::thread writer([] {
    for (int i = 0; i < 50; ++i) {
      const std::unique_lock lock(mutex);
      ++value;
    }
  });
  std::thread first([&] {
    for (int i = 0; i < 50; ++i) {
      const std::shared_lock lock(mutex);
      seen[0] += value;
    }
  });
  std::thread second([&] {
    for (int i = 0; i < 50; ++i) {
      const std::shared_lock lock(mutex);
      seen[1] += value;
    }
  });
  writer.join();
  first.join();
  second.join();
  return seen[0] < 0 || seen[1] < 0;
}
