// Reads of one object with a call between that waits for who writes the second: they are not
// recorded together. By a lock, an atomic, and in a function that is called by one that is called;
// and where what is called does not return here.
// expect none
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Pair {
  long first = 1;
  long second = 0;
};
static Pair by_lock, by_atomic, deep, thrown;
static std::mutex mutex;
static std::condition_variable changed;
static bool locked_done = false;
static std::atomic<int> done{0};
static long results[4];

__attribute__((noinline)) static long wait_by_lock() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return locked_done; });
  return 1;
}
__attribute__((noinline)) static long wait_by_atomic(int steps) {
  while (done.load() < steps) std::this_thread::yield();
  return 1;
}
__attribute__((noinline)) static long wait_deep(long depth) {
  return depth == 0 ? wait_by_atomic(2) : wait_deep(depth - 1) + 1;
}
__attribute__((noinline)) static long throw_if(long value) {
  if (value != 0) throw value;
  return 1;
}

__attribute__((noinline)) static long both(const Pair& pair, long (*wait)()) {
  const long first = pair.first;
  const long waited = wait();
  return first + waited + pair.second;
}
__attribute__((noinline)) static long both_by_atomic(const Pair& pair) {
  const long first = pair.first;
  const long waited = wait_by_atomic(1);
  return first + waited + pair.second;
}
__attribute__((noinline)) static long both_deep(const Pair& pair) {
  const long first = pair.first;
  const long waited = wait_deep(3);
  return first + waited + pair.second;
}
__attribute__((noinline)) static long first_only(const Pair& pair) {
  const long first = pair.first;
  const long thrown_or_not = throw_if(first);
  return first + thrown_or_not + pair.second;  // it never comes here
}

int main() {
  std::thread writer([] {
    by_lock.second = 1;
    by_atomic.second = 1;
    {
      const std::scoped_lock lock(mutex);
      locked_done = true;
    }
    changed.notify_one();
    done = 1;
    deep.second = 1;
    done = 2;
    thrown.second = 1;
  });
  results[0] = both(by_lock, wait_by_lock);
  results[1] = both_by_atomic(by_atomic);
  results[2] = both_deep(deep);
  try {
    results[3] = first_only(thrown);
  } catch (long value) {
    results[3] = value;
  }
  writer.join();
  return results[0] != 3 || results[1] != 3 || results[2] != 6 || results[3] != 1;
}
