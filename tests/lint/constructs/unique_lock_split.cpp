// A unique_lock that is unlocked and locked again within its scope splits the region.
#include <mutex>
#include <thread>

static std::mutex m;
static int bad, good;

static void log(int) {}

static void splits() {
  std::unique_lock<std::mutex> lock(m);
  const int value = bad;
  lock.unlock();
  log(value);
  lock.lock();
  bad = value + 1;  // EXPECT: RwW
}

static void does_not() {
  std::unique_lock<std::mutex> lock(m);
  const int value = good;
  good = value + 1;
  lock.unlock();
  log(value);
}

static void reads_again() {
  std::unique_lock<std::mutex> lock(m);
  log(good);
  lock.unlock();
  lock.lock();
  const int value = good;
  good = value + 1;
}

static void run() {
  splits();
  does_not();
  reads_again();
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
