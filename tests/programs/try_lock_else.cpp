// Who does not get the lock goes on without it.
// expect race: data-race counter
#include <mutex>
#include <thread>

std::mutex mutex;
int counter = 0;

void count() {
  const bool locked = mutex.try_lock();
  if (locked) mutex.unlock();
  ++counter;
}

int main() {
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
}
