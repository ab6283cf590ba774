// A thread exchanges neighbours, at two places of the source each: what it reads and what it
// writes there races with the other thread's writes. The lock keeps them apart in the run.
// expect race: data-race keys*
#include <mutex>
#include <thread>
#include <utility>

struct Key {
  double value;
  long owner;
};

Key keys[64];
std::mutex mutex;
static volatile int size = 64;

static void turn() {
  for (int i = 0; i < size / 2; ++i) std::swap(keys[i], keys[size - 1 - i]);
  const std::scoped_lock lock(mutex);
}

int main() {
  std::thread turner(turn);
  std::thread other([] {
    const std::scoped_lock lock(mutex);
    keys[40].owner = 1;
  });
  turner.join();
  other.join();
}
