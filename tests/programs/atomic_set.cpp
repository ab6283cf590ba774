// Two fields that belong together, read in two critical sections of one unit.
// compilers: plugin static gcc clang-14
// expect sidetrack: atomicity-violation *
// expect atomic-sets: atomic-set-violation *
#include <chrono>
#include <mutex>
#include <thread>

#include <foretrace/annotate.h>

struct Account {
  long balance = 10;
  long interest = 1;
};
std::mutex mutex;
Account account;

int main() {
  FORETRACE_ATOMIC_SET("account", &account, sizeof account);
  long seen = 0;
  std::thread reader([&] {
    FORETRACE_UNIT("report");
    {
      const std::lock_guard guard(mutex);
      seen += account.balance;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::lock_guard guard(mutex);
    seen += account.interest;
  });
  std::thread writer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    FORETRACE_UNIT("update");
    const std::lock_guard guard(mutex);
    account.balance += 5;
    account.interest += 1;
  });
  reader.join();
  writer.join();
  return seen < 0;
}
