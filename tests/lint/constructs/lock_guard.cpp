// std::lock_guard: a region is its scope.
#include <mutex>
#include <thread>

static std::mutex m;
static int bad, good;

static void run() {
  int value;
  {
    std::lock_guard<std::mutex> lock(m);
    value = bad;
  }
  {
    std::lock_guard<std::mutex> lock(m);
    bad = value + 1;  // EXPECT: RwW
  }
  std::lock_guard<std::mutex> lock(m);
  value = good;
  good = value + 1;
}

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
