// A bank whose total is guarded by a lock, and whose counter is not.
#include <mutex>
#include <thread>

std::mutex mutex;
long balance = 0;
long transfers = 0;  // meant as statistics; nobody thought of a lock

void deposit(long amount) {
  {
    std::lock_guard<std::mutex> guard(mutex);
    balance += amount;
  }
  transfers += 1;
}

int main() {
  std::thread alice(deposit, 10);
  std::thread bob(deposit, 20);
  alice.join();
  bob.join();
}
