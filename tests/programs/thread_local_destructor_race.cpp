// A destructor of a thread-local object that forgets the lock.
// expect race: data-race total
#include <thread>

int total = 0;

struct Counter {
  int count = 1;
  ~Counter() { total += count; }
};
thread_local Counter counter;

int main() {
  const auto work = [] { ++counter.count; };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
