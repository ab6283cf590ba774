// A lock that hides a race: count is not guarded, but in most runs the critical
// sections happen to order its accesses.
#include <mutex>
#include <thread>

std::mutex mutex;
long balance = 0;
long limit = 100;
long count = 0;  // of operations; nobody thought of a lock

void deposit(long amount) {
  ++count;
  std::lock_guard<std::mutex> guard(mutex);
  balance += amount;
}

long room() {
  mutex.lock();
  const long left = limit;
  mutex.unlock();
  ++count;
  return left;
}

int main() {
  std::thread first(deposit, 10);
  std::thread second(room);
  first.join();
  second.join();
}
