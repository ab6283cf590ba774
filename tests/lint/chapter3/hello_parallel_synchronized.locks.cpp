// Section 3.6.4: the child's access is protected, main's is not.
#include <cstdio>
#include <mutex>
#include <thread>

static int x = 0;
static std::mutex m;

static void run() {
  {
    std::lock_guard lock(m);
    x = 42;  //#child
  }
}

int main() {
  std::thread child(run);
  std::printf("%d\n", x);  // EXPECT: data-race rd with wr #child
  child.join();
}
