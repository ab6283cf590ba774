// The value is written after the flag.
// expect race: data-race value
#include <atomic>
#include <thread>

std::atomic<int> flag = 0;
int value = 0;

int main() {
  std::thread consumer([] {
    while (flag.load(std::memory_order_acquire) == 0) {
    }
    ++value;
  });
  flag.store(1, std::memory_order_release);
  value = 41;
  consumer.join();
}
