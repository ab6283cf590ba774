// A detached thread is never joined.
#include <thread>

static int x;

static void run() {
  x = 1;  //#run
}

int main() {
  std::thread(run).detach();
  x = 2;  // EXPECT: data-race wr with wr #run
}
