// std::scoped_lock takes several locks at once; each of them protects.
#include <mutex>
#include <thread>

static std::mutex m1, m2;
static int bad, good;

static void both() {
  int value;
  {
    std::scoped_lock lock(m1, m2);
    value = bad;
    good = good + value;
  }
  std::scoped_lock lock(m1, m2);
  bad = value + 1;  // EXPECT: RwW
}

static void one() {
  std::scoped_lock lock(m2);  // excludes both()
  bad = 7;
  good = 7;
}

int main() {
  std::thread a(both), b(one);
  a.join();
  b.join();
}
