// Transfers between accounts, each with a lock: bound by locks.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
  std::mutex mutex;
  long balance = 1000;
};

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 2;
  const int transfers = count > 2 ? std::atoi(words[2]) : 300000;
  std::vector<Account> accounts(64);
  const auto work = [&](unsigned seed) {
    for (int i = 0; i < transfers; ++i) {
      seed = seed * 1664525 + 1013904223;
      Account& from = accounts[seed >> 8 & 63];
      Account& to = accounts[seed >> 16 & 63];
      if (&from == &to) continue;
      const std::scoped_lock both(from.mutex, to.mutex);
      from.balance -= 1;
      to.balance += 1;
    }
  };
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back(work, static_cast<unsigned>(i + 1));
  for (std::thread& thread : pool) thread.join();
  long sum = 0;
  for (const Account& account : accounts) sum += account.balance;
  std::printf("%ld\n", sum);
}
