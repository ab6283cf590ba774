// The three common patterns, each once, and what looks like them and is none.
#include <mutex>
#include <thread>

static std::mutex m;
static int x, y;        // belong together: written by both(), read by sum()
static int a, b;        // do not
static int z;

static int get(int& v) {
  std::lock_guard<std::mutex> lock(m);
  return v;
}
static void set(int& v, int value) {
  std::lock_guard<std::mutex> lock(m);
  v = value;
}
static void both() {
  std::lock_guard<std::mutex> lock(m);
  x = 1;
  y = 2;
}
static int sum() {
  std::lock_guard<std::mutex> lock(m);
  return x + y;
}

static int reads() {
  const int first = get(x);
  return first + get(y);  // EXPECT: RwR
}
static void writes() {
  set(x, 3);
  set(y, 4);  // EXPECT: WrW
}
static void reads_and_writes() {
  const int value = get(z);
  set(z, value + 1);  // EXPECT: RwW
}
static void others() {
  set(a, 1);
  set(b, 2);  // nobody reads both in one block
  get(a);
  get(b);  // nobody writes both in one block
}

int main() {
  std::thread t1(both), t2(reads), t3(writes), t4(sum), t5(reads_and_writes), t6(reads_and_writes), t7(others),
      t8(others);
  t1.join();
  t2.join();
  t3.join();
  t4.join();
  t5.join();
  t6.join();
  t7.join();
  t8.join();
}
