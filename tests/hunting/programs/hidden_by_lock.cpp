// A lock that both threads happen to take keeps the two writes apart in nearly
// every run: the second thread comes 5 ms later.
// observed within 60 runs: data-race x
#include <chrono>
#include <mutex>
#include <thread>

std::mutex mutex;
int x = 0;

int main() {
  std::thread first([] {
    x = 1;
    const std::lock_guard guard(mutex);
  });
  std::thread second([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    { const std::lock_guard guard(mutex); }
    x = 2;
  });
  first.join();
  second.join();
}
