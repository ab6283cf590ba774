// Two threads write x. In nearly every run a lock that both of them happen to
// take orders the two writes, so that detectors that look at the run as it was
// see nothing. But nothing makes the first thread come first.
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex mutex;
int x = 0;

void write_then_lock() {
  x = 1;
  const std::lock_guard guard(mutex);
}

void lock_then_write() {
  { const std::lock_guard guard(mutex); }
  x = 2;
}

int main() {
  std::thread first(write_then_lock);
  std::thread second(lock_then_write);
  first.join();
  second.join();
  std::printf("x is %d\n", x);
}
