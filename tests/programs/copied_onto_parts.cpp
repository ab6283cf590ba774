// A loop copies numbers two bytes further: of what each round reads the round before has written
// only a part. What came from the other thread was read all the same, and orders the writes of x.
// expect none
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

std::mutex mutex;
std::vector<char> cells(4096);
long x;

__attribute__((noinline)) int copy(char* to, const char* from, long count) {
  int all = 0;
  for (long i = 0; i < count; ++i) {
    int number;
    std::memcpy(&number, from + 4 * i, sizeof number);
    all |= number;
    std::memcpy(to + 4 * i, &number, sizeof number);
  }
  return all;
}

int main() {
  std::thread first([] {
    x = 1;
    const std::lock_guard<std::mutex> lock(mutex);
    cells[35] = 1;
  });
  std::thread second([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    int seen = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      seen = copy(cells.data() + 34, cells.data() + 32, 8);
    }
    if (seen != 0) x = 2;
  });
  first.join();
  second.join();
}
