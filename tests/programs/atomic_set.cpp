// Two fields that belong together, read in two critical sections of one unit. The threads
// take turns, and hide how: nothing but the lock orders them.
// compilers: plugin static gcc clang-14
// expect sidetrack: atomicity-violation *
// expect atomic-sets: atomic-set-violation *
#include <atomic>
#include <mutex>
#include <thread>

#include <foretrace/annotate.h>

struct Account {
  long balance = 10;
  long interest = 1;
};
std::mutex mutex;
Account account;
std::atomic<int> turn{0};

static void set_turn(int number) {
  FORETRACE_HIDE_BEGIN();
  turn = number;
  FORETRACE_HIDE_END();
}

static void wait_for_turn(int number) {
  FORETRACE_HIDE_BEGIN();
  while (turn != number) std::this_thread::yield();
  FORETRACE_HIDE_END();
}

int main() {
  FORETRACE_ATOMIC_SET("account", &account, sizeof account);
  long seen = 0;
  std::thread reader([&] {
    FORETRACE_UNIT("report");
    {
      const std::lock_guard guard(mutex);
      seen += account.balance;
    }
    set_turn(1);
    wait_for_turn(2);
    const std::lock_guard guard(mutex);
    seen += account.interest;
  });
  std::thread writer([] {
    wait_for_turn(1);
    {
      FORETRACE_UNIT("update");
      const std::lock_guard guard(mutex);
      account.balance += 5;
      account.interest += 1;
    }
    set_turn(2);
  });
  reader.join();
  writer.join();
  return seen < 0;
}
