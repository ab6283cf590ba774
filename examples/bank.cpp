// A small bank with three mistakes. Every test run of it looks fine: the clerks
// come one after the other, so nothing goes wrong. But nothing makes them.
//   ./foretrace demo
// records one such run and shows what other schedules of it would do.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include <foretrace/annotate.h>

struct Account {
  explicit Account(long opening) : balance(opening) {}
  std::mutex mutex;
  long balance;
};

Account alice(100);
Account bob(100);
Account carol(100);

std::mutex ledger;
long deposits = 0;
long withdrawals = 0;
long operations = 0;  // nobody thought of a lock for this one

// Mistake 1: counts before it takes the ledger's lock.
void deposit(Account& account, long amount) {
  ++operations;
  {
    const std::lock_guard guard(ledger);
    ++deposits;
  }
  const std::lock_guard guard(account.mutex);
  account.balance += amount;
}

// Mistake 2: lets go of the account between looking and taking.
bool withdraw(Account& account, long amount) {
  FORETRACE_UNIT("withdraw");
  account.mutex.lock();
  const long balance = account.balance;
  account.mutex.unlock();
  if (balance < amount) return false;
  account.mutex.lock();
  account.balance = balance - amount;
  account.mutex.unlock();
  {
    const std::lock_guard guard(ledger);
    ++withdrawals;
  }
  ++operations;
  return true;
}

// The head clerk puts a balance right.
void correct(Account& account, long amount) {
  FORETRACE_UNIT("correct");
  const std::lock_guard guard(account.mutex);
  account.balance = amount;
}

// Mistake 3: the order of the two locks depends on who sends money to whom.
void transfer(Account& from, Account& to, long amount) {
  const std::lock_guard first(from.mutex);
  const std::lock_guard second(to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

// Time passes between the clerks; that orders nothing.
template <typename Work>
std::thread clerk(Work work) {
  std::thread thread(work);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return thread;
}

int main() {
  std::thread clerks[] = {
      clerk([] { deposit(bob, 20); }),
      clerk([] { withdraw(alice, 50); }),
      clerk([] { correct(alice, 70); }),
      clerk([] { transfer(bob, carol, 10); }),
      clerk([] { transfer(carol, bob, 5); }),
  };
  for (std::thread& thread : clerks) thread.join();
  std::printf("alice has %ld, bob has %ld, carol has %ld\n", alice.balance, bob.balance,
              carol.balance);
}
