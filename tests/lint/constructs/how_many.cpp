// One thread does not race with itself; two, or one that is started in a loop, do. But not
// one that has ended before the next one is started.
#include <thread>
#include <vector>

static int once, twice, in_loop, in_turn, called_in_turn, left;

static void run_once() { once++; }
static void run_twice() {
  twice++;  //#twice EXPECT: data-race rd with wr #twice; data-race wr with wr #twice
}
static void run_in_loop() {
  in_loop++;  //#loop EXPECT: data-race rd with wr #loop; data-race wr with wr #loop
}
static void run_in_turn() { in_turn++; }
static void stays() {
  left = 1;  //#left EXPECT: data-race wr with wr #left
}
static void run_called() {
  called_in_turn++;
  std::thread(stays).detach();
}
static void start_and_join() {
  std::thread thread(run_called);
  thread.join();
}

int main() {
  std::thread a(run_once), b(run_twice), c(run_twice);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(run_in_loop);
  for (auto& thread : threads) thread.join();
  a.join();
  b.join();
  c.join();
  for (int i = 0; i < 4; i++) {
    std::thread thread(run_in_turn);
    thread.join();
    start_and_join();
  }
  start_and_join();
}
