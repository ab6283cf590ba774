// Section 3.6.7: nine races. main writes x and y in a block and reads x outside of
// it; two children increment both without any. Of main with the children: five
// pairs; of the children with each other: four.
#include <cstdio>
#include <mutex>
#include <thread>

static int x = 0, y = 0;
static std::mutex m;

static void run() {
  x++;  //#x EXPECT: data-race rd with wr #x; data-race wr with wr #x
  y++;  //#y EXPECT: data-race rd with wr #y; data-race wr with wr #y
}

int main() {
  std::thread first(run);
  std::thread second(run);
  {
    std::lock_guard lock(m);
    x = 42;  // EXPECT: data-race wr with rd #x; data-race wr with wr #x
    y = 47;  // EXPECT: data-race wr with rd #y; data-race wr with wr #y
  }
  std::printf("Hello (cruel) world!\n");
  std::printf("And now, a number:\n");
  std::printf("%d\n", x);  // EXPECT: data-race rd with wr #x
  first.join();
  second.join();
}
