// A local variable that two threads write.
// expect race: data-race *
#include <thread>

int main() {
  int result = 0;
  std::thread first([&] { result = 1; });
  std::thread second([&] { result = 2; });
  first.join();
  second.join();
  return result < 0;
}
