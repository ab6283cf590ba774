// Section 3.6.8: a bank. transfer() protects the account that gives, not the one
// that takes: that deposit clashes with everything that is done to the other account
// at the same time, also with itself. What main does after all joins is no race, though
// it is in no block.
#include <cstdio>
#include <string>
#include <thread>

class Account {
 public:
  Account(std::string name, double balance) : balance_(balance), name_(name) {}

  void deposit(double money) {
    __transaction_atomic {
      balance_ += money;  //#deposit
    }
  }
  void withdraw(double money) {
    __transaction_atomic {
      balance_ -= money;  //#withdraw
    }
  }
  void transfer(Account& other, double amount) {
    __transaction_atomic {
      balance_ -= amount;  //#from
    }
    // EXPECT-NEXT: data-race rd with wr #deposit; data-race rd with wr #withdraw
    // EXPECT-NEXT: data-race rd with wr #from; data-race rd with wr #to
    // EXPECT-NEXT: data-race wr with rd #deposit; data-race wr with wr #deposit
    // EXPECT-NEXT: data-race wr with rd #withdraw; data-race wr with wr #withdraw
    // EXPECT-NEXT: data-race wr with rd #from; data-race wr with wr #from
    // EXPECT-NEXT: data-race wr with wr #to
    other.balance_ += amount;  //#to
  }
  void print() {
    __transaction_relaxed {
      std::printf("%s--%f\n", name_.c_str(), balance_);
    }
  }
  double balance() const { return balance_; }  // only called when no other thread runs

 private:
  double balance_;
  std::string name_;
};

class ManageAccount {
 public:
  static constexpr int kNumber = 2;
  static Account* accounts[10];
  static int next;  // the index of the next account

  ManageAccount(std::string name, double amount) : account_(new Account(name, amount)), index_(next) {
    accounts[index_] = account_;
    next = (next + 1) % kNumber;
  }

  void start() {
    thread_ = std::thread(&ManageAccount::run, this);
  }
  void join() { thread_.join(); }

  void run() {
    account_->deposit(300);
    account_->withdraw(100);
    Account* const other = accounts[(index_ + 1) % kNumber];  // transfers to the next account
    account_->transfer(*other, 99);
  }

  static void print_all_accounts() {
    for (int i = 0; i < kNumber; i++) {
      if (accounts[i] != nullptr) accounts[i]->print();
    }
  }

 private:
  Account* account_;
  int index_;
  std::thread thread_;
};

Account* ManageAccount::accounts[10];
int ManageAccount::next = 0;

int main() {
  ManageAccount* bank[ManageAccount::kNumber];
  const char* const names[] = {"A", "B"};
  for (int i = 0; i < ManageAccount::kNumber; i++) {
    bank[i] = new ManageAccount(names[i], 100);
    ManageAccount::accounts[i]->print();
  }
  for (int i = 0; i < ManageAccount::kNumber; i++) bank[i]->start();
  for (int i = 0; i < ManageAccount::kNumber; i++) bank[i]->join();

  std::printf("The final values:\n");
  ManageAccount::print_all_accounts();
  bool less = false, more = false;
  for (int i = 0; i < ManageAccount::kNumber; i++) {
    if (ManageAccount::accounts[i]->balance() < 300) {
      less = true;
    } else if (ManageAccount::accounts[i]->balance() > 300) {
      more = true;
    }
  }
  std::printf("%s %s\n", less ? "less" : "-", more ? "more" : "-");
}
