// No data race: each access holds the lock. But what is checked in one critical
// section is relied on in the next. The other section of the file, of `visits`, is
// disturbed in good runs: it was never meant to be atomic.
#include <sched.h>

#include <mutex>
#include <thread>

std::mutex mutex;
long seats = 30;
long sold = 0;
long visits = 0;

bool sell() {
  long seen = 0;
  {
    const std::lock_guard guard(mutex);
    ++visits;
    seen = seats;
  }
  sched_yield();
  const std::lock_guard guard(mutex);
  ++visits;
  if (seen == 0) return false;
  seats = seen - 1;
  ++sold;
  return true;
}

int main() {
  const auto work = [] {
    while (sell()) {
    }
  };
  std::thread first(work);
  std::thread second(work);
  std::thread visitor([] {
    for (int i = 0; i < 200; ++i) {
      const std::lock_guard guard(mutex);
      ++visits;
      sched_yield();
    }
  });
  visitor.join();
  first.join();
  second.join();
  return sold != 30;
}
