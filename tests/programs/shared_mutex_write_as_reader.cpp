// Two threads write under a lock that both hold for reading.
// expect race: data-race value
#include <shared_mutex>
#include <thread>

std::shared_mutex mutex;
int value = 0;

int main() {
  std::thread first([] {
    const std::shared_lock lock(mutex);
    value = 1;
  });
  std::thread second([] {
    const std::shared_lock lock(mutex);
    value = 2;
  });
  first.join();
  second.join();
}
