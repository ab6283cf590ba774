// try_lock() holds the lock where it succeeded, also if a variable says so.
#include <mutex>
#include <thread>

static std::mutex m;
static int good, bad, kept, both, twice;

static void run() {
  if (m.try_lock()) {
    good++;
    m.unlock();
  } else {
    bad++;  //#bad EXPECT: data-race rd with wr #bad; data-race wr with wr #bad
  }
}

static void run_with_variable() {
  const bool locked = m.try_lock();
  if (!locked) return;
  kept++;
  m.unlock();
  bool changed = m.try_lock();
  if (changed) m.unlock();
  changed = true;
  if (changed) twice = 1;  //#twice EXPECT: data-race wr with wr #twice
}

static void run_both(bool wanted) {
  std::unique_lock<std::mutex> lock(m, std::defer_lock);
  if (wanted && lock.try_lock()) both++;
}

int main() {
  std::thread a(run), b(run), c(run_with_variable), d(run_with_variable);
  std::thread e(run_both, true), f(run_both, false);
  a.join();
  b.join();
  c.join();
  d.join();
  e.join();
  f.join();
}
