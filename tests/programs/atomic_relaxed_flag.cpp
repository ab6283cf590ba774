// A flag that is set and read in relaxed order hands nothing over: no schedule of one step
// after the other shows it, but processors and compilers may.
// expect hb: data-race value
#include <atomic>
#include <thread>

int value = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread writer([] {
    value = 1;
    ready.store(true, std::memory_order_relaxed);
  });
  while (!ready.load(std::memory_order_relaxed)) {
  }
  value += 1;
  writer.join();
}
