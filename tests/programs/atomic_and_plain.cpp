// A counter that one thread changes atomically, and the other reads like any variable. What it
// had read at first comes before the thread's start, and what it reads at last after its end.
// The lock in between hides nothing.
// expect race: data-race count
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int count;
static volatile int sum;

static void work() {
  __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
  const std::lock_guard guard(mutex);
}

int main() {
  count = 1;
  std::thread worker(work);
  { const std::lock_guard guard(mutex); }
  sum = count;
  worker.join();
  std::printf("%d\n", count);
}
