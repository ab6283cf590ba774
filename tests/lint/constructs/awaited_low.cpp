// What awaited.cpp has, asked for with a low confidence: it cannot be seen that all are
// waited for.
// OPTIONS: --confidence low
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static int done, counted;

static void worker() {
  counted = 1;  // EXPECT: data-race wr with wr #after
  std::lock_guard<std::mutex> lock(m);
  ++done;
  changed.notify_all();
}

int main() {
  std::thread a(worker);
  {
    std::unique_lock<std::mutex> lock(m);
    while (done < 1) changed.wait(lock);
  }
  counted = 2;  //#after
  a.join();
}
