// A local variable that another thread writes, with join.
// expect none
#include <thread>

int twice(int x) {
  int result = 0;
  std::thread worker([&] { result = 2 * x; });
  worker.join();
  return result;
}

int main() { return twice(1) + twice(2) + twice(3) != 12; }
