// A smaller block begins where one was given back: what was done in the rest of that one counts all
// the same. There are a race in it, and a flag that orders the writes of `data`.
// expect race: data-race other
// expect race: data-race *of?the?object*
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <thread>

long data, other;
std::mutex mutex;

int main() {
  char* const big = static_cast<char*>(std::malloc(12000));
  auto* const count = new (big + 8000) long(0);
  auto* const flag = new (big + 9000) std::atomic<int>(0);
  std::thread thread([=] {
    other = 1;
    ++*count;
    data = 1;
    flag->store(1, std::memory_order_release);
    const std::lock_guard<std::mutex> guard(mutex);
    data = 2;
  });
  other = 2;
  ++*count;
  while (flag->load(std::memory_order_acquire) == 0) {
  }
  {
    const std::lock_guard<std::mutex> guard(mutex);
    data = 3;
  }
  thread.join();
  std::free(big);
  auto* const small = static_cast<volatile char*>(std::malloc(1000));
  *small = 1;
}
