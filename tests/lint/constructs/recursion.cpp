// Figure 4.11: the second block is followed by the first only if B calls A again.
#include <cstdlib>
#include <mutex>
#include <thread>

static std::mutex m;
static int x;

static void a();

static void transaction1(int value) {
  std::lock_guard<std::mutex> lock(m);
  x = value;  // EXPECT: RwW
}
static int transaction2() {
  std::lock_guard<std::mutex> lock(m);
  return x;
}

static thread_local int last = 0;

static void b() {
  last = transaction2();
  if (std::rand() % 2 == 0) a();
}
static void a() {
  transaction1(last);
  b();
}

int main() {
  std::thread t1(a), t2(a);
  t1.join();
  t2.join();
  return 0;
}
