// Section 3.6.3: main and its child access x, and nothing orders them. There is no
// block at all in this one, so the TM version and the one with locks are the same.
#include <cstdio>
#include <thread>

static int x = 0;

static void run() {
  x = 42;  //#child
}

int main() {
  std::thread child(run);
  std::printf("%d\n", x);  // EXPECT: data-race rd with wr #child
  child.join();
}
