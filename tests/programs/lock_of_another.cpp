// Each thread has a lock, but not the same one.
// expect race: data-race balance
#include <mutex>
#include <thread>

std::mutex left;
std::mutex right;
int balance = 0;

int main() {
  std::thread first([] {
    const std::lock_guard guard(left);
    balance += 1;
  });
  std::thread second([] {
    const std::lock_guard guard(right);
    balance += 2;
  });
  first.join();
  second.join();
}
