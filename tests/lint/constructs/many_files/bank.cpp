#include "bank.h"

int Bank::read(int account) {
  std::lock_guard<std::mutex> lock(mutex_);
  return balances_[account];
}

void Bank::write(int account, int amount) {
  std::lock_guard<std::mutex> lock(mutex_);
  balances_[account] = amount;
}

void Bank::add(int account, int amount) {
  std::lock_guard<std::mutex> lock(mutex_);
  balances_[account] += amount;
}
