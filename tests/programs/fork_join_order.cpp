// Creation and join order everything; no lock is needed.
// expect none
#include <thread>

int value = 0;

int main() {
  value = 1;
  std::thread first([] { ++value; });
  first.join();
  std::thread second([] { ++value; });
  second.join();
  return value != 3;
}
