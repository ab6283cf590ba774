// defer_lock holds nothing until lock(); adopt_lock goes on with what is held; a lock
// that is moved is still held.
#include <mutex>
#include <thread>
#include <utility>

static std::mutex m;
static int deferred, adopted, moved, never;

static void run() {
  {
    std::unique_lock<std::mutex> lock(m, std::defer_lock);
    lock.lock();
    deferred++;
  }
  {
    m.lock();
    std::lock_guard<std::mutex> lock(m, std::adopt_lock);
    adopted++;
  }
  {
    std::unique_lock<std::mutex> lock(m);
    std::unique_lock<std::mutex> other(std::move(lock));
    moved++;
  }
  std::unique_lock<std::mutex> lock(m, std::defer_lock);
  never = 1;  //#never EXPECT: data-race wr with wr #never
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
