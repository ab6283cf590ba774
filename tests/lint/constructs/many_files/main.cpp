// One program of many files: the error is in deposit.cpp, its parts in bank.cpp.
#include <thread>

#include "bank.h"

static void run(Bank* bank) {
  deposit(*bank, 1, 10);
  bank->add(2, 10);
}

int main() {
  Bank bank;
  std::thread a(run, &bank), b(run, &bank);
  a.join();
  b.join();
}
