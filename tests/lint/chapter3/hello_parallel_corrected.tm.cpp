// Section 3.6.5: both accesses are protected: no race.
#include <cstdio>
#include <thread>

static int x = 0;

static void run() {
  __transaction_atomic {
    x = 42;
  }
}

int main() {
  std::thread child(run);
  __transaction_relaxed {
    std::printf("%d\n", x);
  }
  child.join();
}
