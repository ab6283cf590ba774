// A field of an object on the heap.
// expect race: data-race Account::balance*
// lines: 15 16
#include <memory>
#include <thread>

struct Account {
  explicit Account(int n) : number(n), balance(100) {}
  int number;
  long balance;
};

int main() {
  const auto account = std::make_unique<Account>(7);
  std::thread first([&] { account->balance += 1; });
  std::thread second([&] { account->balance += 2; });
  first.join();
  second.join();
}
