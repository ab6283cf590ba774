// Atomic variables do not race. Two operations on one are still two blocks.
#include <atomic>
#include <thread>

static std::atomic<int> counter{0};
static std::atomic<bool> ready{false};
static int plain;

static void run() {
  counter++;
  if (ready.load()) counter.store(0);
  plain = 1;  //#plain EXPECT: data-race wr with wr #plain
}

int main() {
  std::thread a(run), b(run);
  ready = true;
  a.join();
  b.join();
}
