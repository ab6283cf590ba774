// Section 4.6.2: a pair of coordinates. T1 writes both at once; T3 reads them one after
// the other, so that they may belong to different pairs. T4 reads x, and then both at
// once: that is all right, and so is what it does to its own copy.
#include <cstdio>
#include <mutex>
#include <thread>

class Coord {
 public:
  Coord(double x, double y) : x_(x), y_(y) {}
  Coord(const Coord& other) : x_(other.x_), y_(other.y_) {}

  double get_x() {
    {
      std::lock_guard lock(mutex_);
      return x_;
    }
  }
  double get_y() {
    {
      std::lock_guard lock(mutex_);
      return y_;
    }
  }
  Coord* get_xy() {
    {
      std::lock_guard lock(mutex_);
      return new Coord(x_, y_);
    }
  }
  void set_x(double x) {
    {
      std::lock_guard lock(mutex_);
      x_ = x;
    }
  }
  void set_y(double y) {
    {
      std::lock_guard lock(mutex_);
      y_ = y;
    }
  }
  void set_xy(const Coord& other) {
    {
      std::lock_guard lock(mutex_);
      x_ = other.x_;
      y_ = other.y_;
    }
  }

 private:
  double x_, y_;
  std::mutex mutex_;
};

static Coord* c;

static void t1() {
  Coord* d1 = new Coord(1, 2);
  c->set_xy(*d1);
  delete d1;
}

static void t2() {
  double x2 = c->get_x();
  std::printf("%f\n", x2);
}

static void t3() {
  double x3 = c->get_x();
  double y3 = c->get_y();  // EXPECT: RwR
  std::printf("%f\n", x3);
  std::printf("%f\n", y3);
}

static void t4() {
  double x4 = c->get_x();
  std::printf("%f\n", x4);
  Coord* d4 = c->get_xy();
  x4 = d4->get_x();
  double y4 = d4->get_y();
  std::printf("%f\n", x4);
  std::printf("%f\n", y4);
  delete d4;
}

int main() {
  c = new Coord(0, 0);
  std::thread a(t1), b(t2), d(t3), e(t4);
  a.join();
  b.join();
  d.join();
  e.join();
}
