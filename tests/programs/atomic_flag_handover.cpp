// A value behind an atomic flag, with spinning.
// expect none
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
  value = 41;
  flag.store(1, std::memory_order_release);
  consumer.join();
  return value != 42;
}
