// lock() and unlock() without a guard, also on some paths only.
#include <mutex>
#include <thread>

static std::mutex m;
static int bad, good, raced;

static void run(bool early) {
  m.lock();
  const int value = bad;
  m.unlock();
  m.lock();
  bad = value + 1;  // EXPECT: RwW
  good++;
  if (early) m.unlock();
  raced = 1;  //#raced EXPECT: data-race wr with wr #raced
  if (!early) m.unlock();
}

int main() {
  std::thread a(run, true), b(run, false);
  a.join();
  b.join();
}
