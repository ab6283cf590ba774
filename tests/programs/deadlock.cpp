// Two locks in two orders; this run does not hang.
// expect deadlock: deadlock *
#include <chrono>
#include <mutex>
#include <thread>

std::mutex a;
std::mutex b;

int main() {
  std::thread first([] {
    const std::lock_guard one(a);
    const std::lock_guard two(b);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread second([] {
    const std::lock_guard one(b);
    const std::lock_guard two(a);
  });
  first.join();
  second.join();
}
