// A loop that reads and writes an array which another thread has filled before:
// its reads see what that thread wrote.
// expect none
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
bool filled = false;
std::vector<long> values(300);

int main() {
  std::thread filler([] {
    const std::lock_guard guard(mutex);
    for (long& value : values) value = 7;
    filled = true;
  });
  std::thread user([] {
    for (;;) {
      const std::lock_guard guard(mutex);
      if (!filled) continue;
      for (long& value : values) value = value * 3 + 1;
      return;
    }
  });
  filler.join();
  user.join();
  long sum = 0;
  for (const long value : values) sum += value;
  return sum == 22 * 300 ? 0 : 1;
}
