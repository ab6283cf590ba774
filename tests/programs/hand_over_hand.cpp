// Locks that overlap without nesting.
// expect none
#include <mutex>
#include <thread>

std::mutex a;
std::mutex b;
int x = 0;
int y = 0;

void walk() {
  a.lock();
  ++x;
  b.lock();
  a.unlock();
  ++y;
  b.unlock();
}

int main() {
  std::thread first(walk);
  std::thread second(walk);
  first.join();
  second.join();
  return x + y != 4;
}
