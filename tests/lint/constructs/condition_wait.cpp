// A wait gives its lock back: what was read before it is stale after it, unless it is
// checked again. wait() with a predicate and a loop around wait() check it.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static int bad, items;

static void take_badly() {
  std::unique_lock<std::mutex> lock(m);
  const int value = bad;
  changed.wait(lock);
  bad = value - 1;  // EXPECT: RwW
}

static void take_in_loop() {
  std::unique_lock<std::mutex> lock(m);
  while (items == 0) changed.wait(lock);
  items = items - 1;
}

static void take_with_predicate() {
  std::unique_lock<std::mutex> lock(m);
  changed.wait(lock, [] { return items > 0; });
  items = items - 1;
}

static void wait(std::unique_lock<std::mutex>& lock) { changed.wait(lock); }

static void wait_for_items(std::unique_lock<std::mutex>& lock) {
  while (items == 0) changed.wait(lock);
}

static void take_with_calls() {
  std::unique_lock<std::mutex> lock(m);
  if (items == 0) wait_for_items(lock);
  items = items - 1;
  const int value = bad;
  wait(lock);
  bad = value - 1;  // EXPECT: RwW
}

static void put() {
  std::lock_guard<std::mutex> lock(m);
  bad = bad + 1;
  items = items + 1;
  changed.notify_all();
}

int main() {
  std::thread a(take_badly), b(take_in_loop), c(take_with_predicate), d(put), e(take_with_calls);
  a.join();
  b.join();
  c.join();
  d.join();
  e.join();
}
