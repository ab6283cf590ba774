#include "bank.h"

void deposit(Bank& bank, int account, int amount) {
  const int balance = bank.read(account);
  bank.write(account, balance + amount);  // EXPECT: RwW
}
