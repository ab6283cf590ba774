// An inner lock is given back between two regions, while an outer one is held all the
// time. To threads that take the outer lock too the two regions are one.
#include <mutex>
#include <thread>

static std::mutex outer, inner;
static int good, bad;

static int get(int& x) {
  std::lock_guard<std::mutex> lock(inner);
  return x;
}
static void set(int& x, int value) {
  std::lock_guard<std::mutex> lock(inner);
  x = value;
}

static void run() {
  std::lock_guard<std::mutex> lock(outer);
  set(good, get(good) + 1);
  set(bad, get(bad) + 1);  // EXPECT: RwW
}

static void only_inner() { set(bad, 0); }

int main() {
  std::thread a(run), b(run), c(only_inner);
  a.join();
  b.join();
  c.join();
}
