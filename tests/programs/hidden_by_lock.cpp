// A lock that both happen to take hides the race in nearly every run.
// expect race: data-race x
// lines: 13 19
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
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    { const std::lock_guard guard(mutex); }
    x = 2;
  });
  first.join();
  second.join();
}
