// Views that do not form a chain: t3 of Figure 4.1. Nobody writes, so only this rule
// says anything.
// OPTIONS: --rules view-consistency
#include <mutex>
#include <thread>

static std::mutex m;
static int x, y;

static void t1() {
  std::lock_guard<std::mutex> lock(m);
  x = 1;
  y = 2;
}
static int t2() {
  std::lock_guard<std::mutex> lock(m);
  return x;
}
static int t3() {
  int sum;
  {
    std::lock_guard<std::mutex> lock(m);
    sum = x;
  }
  std::lock_guard<std::mutex> lock(m);
  sum += y;  // EXPECT: view-consistency
  return sum;
}
static int t4() {
  int sum;
  {
    std::lock_guard<std::mutex> lock(m);
    sum = x;
  }
  std::lock_guard<std::mutex> lock(m);
  return sum + x + y;
}

int main() {
  std::thread a(t1), b(t2), c(t3), d(t4);
  a.join();
  b.join();
  c.join();
  d.join();
}
