// What comes before the start or after the join is not parallel; nor are two threads of
// which one is joined before the other starts.
#include <thread>

static int before, after, between, sequence;

static void first() {
  before++;
  after++;
  between = 1;  //#between
  sequence++;
}
static void second() { sequence++; }

int main() {
  before = 1;
  std::thread a(first);
  between = 2;  // EXPECT: data-race wr with wr #between
  a.join();
  after = 1;
  std::thread b(second);
  b.join();
  return sequence;
}
