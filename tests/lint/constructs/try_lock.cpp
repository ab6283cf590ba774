// try_lock() holds the lock where it succeeded.
#include <mutex>
#include <thread>

static std::mutex m;
static int good, bad;

static void run() {
  if (m.try_lock()) {
    good++;
    m.unlock();
  } else {
    bad++;  //#bad EXPECT: data-race rd with wr #bad; data-race wr with wr #bad
  }
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
