// A loop goes through three arrays side by side, by a way that LLVM does not know; another
// thread has one element of each.
// expect race: data-race left*
// expect race: data-race right*
// expect race: data-race sum*
#include <thread>

long left[64];
long right[64];
long sum[64];
static volatile long part = 64;

static void add() {
  const long size = part;
  for (long i = 0; i < size - 16; ++i) {
    const long at = i / size * 2 * size + i % size;
    sum[at] = left[at] + right[at];
  }
}

int main() {
  std::thread adder(add);
  std::thread other([] {
    left[20] = 1;
    right[30] = 1;
    sum[40] = 1;
  });
  adder.join();
  other.join();
}
