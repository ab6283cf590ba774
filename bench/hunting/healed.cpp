// Twenty balances that two threads read and write without a lock, with work
// between: what healing costs where sections are not hot.
#include <cstdio>
#include <cstdlib>
#include <thread>

long balance0, balance1, balance2, balance3, balance4, balance5, balance6, balance7, balance8,
    balance9, balance10, balance11, balance12, balance13, balance14, balance15, balance16,
    balance17, balance18, balance19;

#define DEPOSIT(n)                     \
  void deposit##n() {                  \
    balance##n = balance##n + 1;       \
  }
// One line each: a section is named by its line.
DEPOSIT(0)
DEPOSIT(1)
DEPOSIT(2)
DEPOSIT(3)
DEPOSIT(4)
DEPOSIT(5)
DEPOSIT(6)
DEPOSIT(7)
DEPOSIT(8)
DEPOSIT(9)
DEPOSIT(10)
DEPOSIT(11)
DEPOSIT(12)
DEPOSIT(13)
DEPOSIT(14)
DEPOSIT(15)
DEPOSIT(16)
DEPOSIT(17)
DEPOSIT(18)
DEPOSIT(19)

void (*const deposits[])() = {deposit0,  deposit1,  deposit2,  deposit3,  deposit4,
                              deposit5,  deposit6,  deposit7,  deposit8,  deposit9,
                              deposit10, deposit11, deposit12, deposit13, deposit14,
                              deposit15, deposit16, deposit17, deposit18, deposit19};

double work(int rounds) {
  double table[512];
  for (int i = 0; i < 512; ++i) table[i] = i;
  for (int round = 0; round < rounds; ++round) {
    for (int step = 0; step < 10; ++step) {
      for (int i = 1; i < 512; ++i) table[i] = table[i] * 0.999 + table[i - 1] * 0.001;
      for (int i = 1; i < 512; ++i) table[i] += table[511 - i] * 1e-6;
    }
    deposits[round % 20]();
  }
  return table[511];
}

int main(int, char**) {
  const int rounds = 20000;
  double one = 0;
  double other = 0;
  std::thread first([&] { one = work(rounds); });
  std::thread second([&] { other = work(rounds); });
  first.join();
  second.join();
  std::printf("%g %g\n", one, other);
}
