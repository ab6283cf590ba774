// Two accounts, two locks, and one place that takes the wrong one.
// observed within 60 runs: data-race savings
#include <mutex>
#include <thread>

std::mutex current_lock;
std::mutex savings_lock;
long current = 100;
long savings = 100;

void pay_in() {
  for (int i = 0; i < 10; ++i) {
    const std::lock_guard guard(savings_lock);
    savings += 1;
  }
}

void move() {
  for (int i = 0; i < 10; ++i) {
    const std::lock_guard guard(current_lock);
    current -= 1;
    if (i == 7) savings += 1;
  }
}

int main() {
  std::thread first(pay_in);
  std::thread second(move);
  first.join();
  second.join();
}
