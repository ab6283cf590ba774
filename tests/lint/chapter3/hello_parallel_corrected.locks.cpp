// Section 3.6.5: both accesses are protected: no race.
#include <cstdio>
#include <mutex>
#include <thread>

static int x = 0;
static std::mutex m;

static void run() {
  {
    std::lock_guard lock(m);
    x = 42;
  }
}

int main() {
  std::thread child(run);
  {
    std::lock_guard lock(m);
    std::printf("%d\n", x);
  }
  child.join();
}
