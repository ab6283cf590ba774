// try and timed forms of std::timed_mutex.
// expect none
#include <chrono>
#include <mutex>
#include <thread>

std::timed_mutex mutex;
int counter = 0;

void count() {
  for (int i = 0; i < 10; ++i) {
    if (!mutex.try_lock()) {
      while (!mutex.try_lock_for(std::chrono::seconds(1))) {
      }
    }
    ++counter;
    mutex.unlock();
  }
}

int main() {
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  return counter != 20;
}
