// Blocks of different branches never follow each other.
#include <mutex>
#include <thread>

static std::mutex m;
static int x, y;

static int get(int& v) {
  std::lock_guard<std::mutex> lock(m);
  return v;
}
static void set(int& v, int value) {
  std::lock_guard<std::mutex> lock(m);
  v = value;
}

static void either(bool which) {
  int value = 0;
  if (which) {
    value = get(x);
  } else {
    set(x, value);
  }
}
static void maybe(bool which) {
  int value = 0;
  if (which) value = get(y);
  set(y, value);  // EXPECT: RwW
}

static void run(bool which) {
  either(which);
  maybe(which);
}

int main() {
  std::thread a(run, true), b(run, false);
  a.join();
  b.join();
}
