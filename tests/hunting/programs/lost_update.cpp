// A balance that is read, and written a moment later: updates get lost. The
// invariant is what the exit status says.
// observed within 30 runs: data-race balance
#include <sched.h>

#include <thread>

#include <foretrace/annotate.h>

long balance = 0;

void deposit() {
  FORETRACE_UNIT("deposit");
  const long seen = balance;
  sched_yield();  // a moment in which others may come
  balance = seen + 1;
}

int main() {
  const auto work = [] {
    for (int i = 0; i < 100; ++i) deposit();
  };
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
  return balance != 200;
}
