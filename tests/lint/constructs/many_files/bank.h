#pragma once

#include <mutex>

class Bank {
 public:
  int read(int account);
  void write(int account, int amount);
  void add(int account, int amount);

 private:
  std::mutex mutex_;
  int balances_[10] = {};
};

void deposit(Bank& bank, int account, int amount);
