// Threads that come and go.
// expect none
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
int counter = 0;

int main() {
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([] {
        const std::lock_guard guard(mutex);
        ++counter;
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  return counter != 200;
}
