// A unit that reads a balance in one critical section and writes it in the next: no
// data race, but updates get lost. `visits` is disturbed in good runs, too.
#include <sched.h>

#include <mutex>
#include <thread>

#include <foretrace/annotate.h>

std::mutex mutex;
long balance = 0;
long visits = 0;
long outside = 0;

void visit() {
  const std::lock_guard guard(mutex);
  ++visits;
}

long seen_balance() {
  const std::lock_guard guard(mutex);
  return balance;
}

void transfer() {
  FORETRACE_UNIT("transfer");
  visit();
  const long seen = seen_balance();
  sched_yield();
  const std::lock_guard guard(mutex);
  ++visits;
  balance = seen + 1;
}

int main() {
  const auto work = [] {
    for (int i = 0; i < 20; ++i) {
      transfer();
      const std::lock_guard guard(mutex);
      ++outside;
    }
  };
  std::thread visitor([] {
    for (int i = 0; i < 200; ++i) {
      const std::lock_guard guard(mutex);
      ++visits;
      sched_yield();
    }
  });
  std::thread first(work);
  std::thread second(work);
  visitor.join();
  first.join();
  second.join();
  return balance != 40;
}
