// Section 4.6.9: update() reads the balance in one block and writes it in another.
#include <mutex>
#include <thread>

class Account {
 public:
  int read() {
    {
      std::lock_guard lock(mutex_);
      return balance_;
    }
  }

  void update(int a) {
    int tmp = read();
    {
      std::lock_guard lock(mutex_);
      balance_ = tmp + a;  // EXPECT: RwW
    }
  }

 private:
  int balance_ = 100;
  std::mutex mutex_;
};

static Account* a;

static void run() { a->update(42); }

int main() {
  a = new Account();
  std::thread first(run);
  std::thread second(run);
  first.join();
  second.join();
}
