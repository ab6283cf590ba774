// A mutex that its holder may take again.
// expect none
#include <mutex>
#include <thread>

std::recursive_mutex mutex;
int counter = 0;

void count() {
  const std::lock_guard outer(mutex);
  for (int i = 0; i < 10; ++i) {
    const std::lock_guard inner(mutex);
    ++counter;
  }
}

int main() {
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  return counter != 20;
}
