// Four numbers are read, changed and written: one read and one write for the recorder. Between them
// is a read whose place the second of the numbers says: it comes behind them.
// expect none
#include <chrono>
#include <mutex>
#include <thread>

struct Numbers {
  int of[4];
};
Numbers numbers;
int table[64];
std::mutex mutex;

__attribute__((noinline)) void follow(Numbers* __restrict numbers, int* __restrict table) {
  const std::lock_guard<std::mutex> lock(mutex);
  int seen[4];
  for (int k = 0; k < 4; ++k) seen[k] = numbers->of[k];
  const int more = table[seen[1]];
  for (int k = 0; k < 4; ++k) numbers->of[k] = seen[k] + more;
}

int main() {
  std::thread producer([] {
    table[5] = 7;
    const std::lock_guard<std::mutex> lock(mutex);
    numbers.of[1] = 5;
  });
  std::thread consumer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    follow(&numbers, table);
  });
  producer.join();
  consumer.join();
}
