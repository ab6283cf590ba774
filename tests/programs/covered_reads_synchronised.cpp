// Functions that call themselves with an object that they have read, and synchronise on the way: the
// read behind that is another, which races where the first does not.
// expect hb: data-race *by_lock
// expect hb: data-race *by_atomic
// expect hb: data-race *by_callee
// expect hb: data-race *by_join
// compilers: plugin
#include <atomic>
#include <mutex>
#include <thread>

struct A {
  long by_lock = 1;
};
struct B {
  long by_atomic = 1;
};
struct C {
  long by_callee = 1;
};
struct D {
  long by_join = 1;
};
static A a;
static B b;
static C c;
static D d;
static std::mutex mutex;
static bool unlocked = false;
static std::atomic<bool> gone_on[3];
static long sum;

__attribute__((noinline)) long with_lock(const A& at, long depth) {
  long here = at.by_lock;
  if (depth > 0) {
    mutex.lock();
    unlocked = true;
    mutex.unlock();
    here += with_lock(at, depth - 1) * here;
  }
  return here;
}

__attribute__((noinline)) long with_atomic(const B& at, long depth) {
  long here = at.by_atomic;
  if (depth > 0) {
    gone_on[0].store(true, std::memory_order_release);
    here += with_atomic(at, depth - 1) * here;
  }
  return here;
}

__attribute__((noinline)) void in_callee(long depth) {
  if (depth == 1) gone_on[1].store(true, std::memory_order_release);
}

__attribute__((noinline)) long with_callee(const C& at, long depth) {
  long here = at.by_callee;
  if (depth > 0) {
    in_callee(depth);
    here += with_callee(at, depth - 1) * here;
  }
  return here;
}

__attribute__((noinline)) long with_thread(const D& at, long depth) {
  long here = at.by_join;
  if (depth > 0) {
    std::thread([] { gone_on[2].store(true, std::memory_order_release); }).join();
    here += with_thread(at, depth - 1) * here;
  }
  return here;
}

static bool is_unlocked() {
  const std::lock_guard<std::mutex> lock(mutex);
  return unlocked;
}

static void wait_for(const std::atomic<bool>& flag) {
  while (!flag.load(std::memory_order_acquire)) std::this_thread::yield();
}

// Each write comes behind the first read of what it writes.
int main() {
  std::thread writer([] {
    while (!is_unlocked()) std::this_thread::yield();
    a.by_lock = 2;
    wait_for(gone_on[0]);
    b.by_atomic = 2;
    wait_for(gone_on[1]);
    c.by_callee = 2;
    wait_for(gone_on[2]);
    d.by_join = 2;
  });
  sum += with_lock(a, 1);
  sum += with_atomic(b, 1);
  sum += with_callee(c, 1);
  sum += with_thread(d, 1);
  writer.join();
  return sum == 0;
}
