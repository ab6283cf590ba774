// Two objects that cannot be the same: no anomaly between them.
#include <mutex>
#include <thread>

class Cell {
 public:
  int get() {
    std::lock_guard<std::mutex> lock(mutex_);
    return value_;
  }
  void set(int value) {
    std::lock_guard<std::mutex> lock(mutex_);
    value_ = value;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

static Cell in, out, both;

static void copy() { out.set(in.get()); }
static void feed() { in.set(1); }
static void add() {
  both.set(both.get() + 1);  // EXPECT: RwW
}
static void own() {
  Cell mine;
  mine.set(mine.get() + 1);
  Cell* const heap = new Cell();
  heap->set(heap->get() + 1);
  delete heap;
}

int main() {
  std::thread a(copy), b(feed), c(add), d(add), e(own), f(own);
  a.join();
  b.join();
  c.join();
  d.join();
  e.join();
  f.join();
}
