// A unique_lock that is unlocked and locked again within its scope splits the region, also
// if a function does that which is called.
#include <mutex>
#include <thread>

static std::mutex m;
static int bad, good, in_callee, in_branch, unlocked;

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

static void pause(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  log(0);
  lock.lock();
}

static void pause_all() {
  m.unlock();
  m.lock();
}

static void calls_one_that_splits() {
  std::unique_lock<std::mutex> lock(m);
  const int value = in_callee;
  pause(lock);
  in_callee = value + 1;  // EXPECT: RwW
}

static void calls_one_in_an_if() {
  m.lock();
  const int value = in_branch;
  if (value > 0) pause_all();
  in_branch = value + 1;  // EXPECT: RwW
  m.unlock();
}

static void unlocks(std::unique_lock<std::mutex>& lock) { lock.unlock(); }

static void calls_one_that_unlocks() {
  std::unique_lock<std::mutex> lock(m);
  unlocks(lock);
  unlocked = 1;  //#unlocked EXPECT: data-race wr with wr #unlocked
}

static void run() {
  splits();
  calls_one_that_splits();
  calls_one_in_an_if();
  calls_one_that_unlocks();
  does_not();
  reads_again();
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
