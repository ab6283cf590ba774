// A counter that two threads raise without a lock.
// observed within 30 runs: data-race counter
#include <thread>

int counter = 0;

void count() {
  for (int i = 0; i < 20; ++i) ++counter;
}

int main() {
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
  return counter != 40;
}
