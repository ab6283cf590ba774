// A loop's end is followed by its beginning: a value that is carried over is stale; a
// condition that is asked again each time is not.
#include <mutex>
#include <thread>

static std::mutex m;
static int x, running = 1, steps;

static int get(int& v) {
  std::lock_guard<std::mutex> lock(m);
  return v;
}
static void set(int& v, int value) {
  std::lock_guard<std::mutex> lock(m);
  v = value;
}
static void add(int& v) {
  std::lock_guard<std::mutex> lock(m);
  v = v + 1;
}

static void carries() {
  int last = 0;
  for (int i = 0; i < 10; i++) {
    set(x, last + 1);  // EXPECT: RwW
    last = get(x);
  }
}

static void polls() {
  while (get(running) != 0) add(steps);
}
static void stops() { set(running, 0); }

// Each round looks again.
static int sum;
static void adds() {
  for (int i = 0; i < 10; i++) {
    std::lock_guard<std::mutex> lock(m);
    sum += i;
    if (sum > 100) sum = 0;
  }
  add(sum);
}

// It is no less wrong in a loop that does not end.
static int waiting = 100;
static void serves() {
  while (true) {
    if (get(waiting) > 0) set(waiting, 0);  // EXPECT: RwW
  }
}

int main() {
  std::thread a(carries), b(carries), c(polls), d(polls), e(stops), f(adds), g(adds), h(serves), i(serves);
  a.join();
  b.join();
  c.join();
  d.join();
  e.join();
  f.join();
  g.join();
  h.join();
  i.join();
}
