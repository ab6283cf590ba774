// std::call_once.
// expect none
#include <mutex>
#include <thread>

std::once_flag flag;
int value = 0;

int use() {
  std::call_once(flag, [] { value = 42; });
  return value;
}

int main() {
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  return use() != 42;
}
