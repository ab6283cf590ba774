// Two regions exclude each other only if they share a lock.
#include <mutex>
#include <thread>

static std::mutex m1, m2;
static int x, y;

static void one() {
  std::lock_guard<std::mutex> lock(m1);
  x = 1;  //#one
  y = 1;
}

static void other() {
  std::lock_guard<std::mutex> lock(m2);
  x = 2;  // EXPECT: data-race wr with wr #one
}

static void third() {
  std::lock_guard<std::mutex> lock(m1);
  y = 2;
}

int main() {
  std::thread a(one), b(other), c(third);
  a.join();
  b.join();
  c.join();
}
