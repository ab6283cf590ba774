// What is done after a wait, many calls further down: each function calls the next one twice, so
// that there are more ways down than could be followed one by one; and functions that call
// themselves.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static bool done;
static int deep, on_some_way, again, recursive, recursive_before;

static void worker() {
  deep = 1;
  again = 1;
  on_some_way = 1;       // EXPECT: data-race
  recursive = 1;
  recursive_before = 1;  // EXPECT: data-race
  std::lock_guard<std::mutex> lock(m);
  done = true;
  changed.notify_all();
}

static void touch_deep() { ++deep; }
static void touch_on_some_way() {
  ++on_some_way;  // EXPECT: data-race
}

template <int Depth, void (*Last)()>
static void down() {
  if constexpr (Depth > 0) {
    down<Depth - 1, Last>();
    down<Depth - 1, Last>();
  } else {
    Last();
  }
}

static void after(int n) {
  ++recursive;
  if (n > 0) after(n - 1);
}

static void before_and_after(int n) {
  ++recursive_before;  // EXPECT: data-race
  if (n > 0) before_and_after(n - 1);
}

int main() {
  std::thread thread(worker);
  down<40, touch_on_some_way>();
  before_and_after(3);
  {
    std::unique_lock<std::mutex> lock(m);
    while (!done) changed.wait(lock);
  }
  down<40, touch_deep>();
  down<40, touch_on_some_way>();
  ++again;
  after(3);
  before_and_after(3);
  thread.join();
}
