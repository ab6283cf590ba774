// A unit that should be atomic, but gives its lock back in the middle.
// compilers: plugin static gcc clang-14
// expect sidetrack: atomicity-violation *
#include <chrono>
#include <mutex>
#include <thread>

#include "foretrace/annotate.h"

std::mutex mutex;
int balance = 100;

int read_balance() {
  const std::lock_guard guard(mutex);
  return balance;
}

void withdraw(int amount) {
  FORETRACE_UNIT("withdraw");
  const int before = read_balance();
  const std::lock_guard guard(mutex);
  balance = before - amount;
}

void reset() {
  // After the unit in this run; nothing but the time keeps it out of the middle.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const std::lock_guard guard(mutex);
  balance = 0;
}

int main() {
  std::thread first([] { withdraw(10); });
  first.join();
  std::thread second(reset);
  withdraw(30);
  second.join();
}
