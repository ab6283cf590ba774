// Section 4.6.2: a pair of coordinates. T1 writes both at once; T3 reads them one after
// the other, so that they may belong to different pairs. T4 reads x, and then both at
// once: that is all right, and so is what it does to its own copy.
#include <cstdio>
#include <thread>

class Coord {
 public:
  Coord(double x, double y) : x_(x), y_(y) {}

  double get_x() {
    __transaction_atomic {
      return x_;
    }
  }
  double get_y() {
    __transaction_atomic {
      return y_;
    }
  }
  Coord* get_xy() {
    __transaction_relaxed {
      return new Coord(x_, y_);
    }
  }
  void set_x(double x) {
    __transaction_atomic {
      x_ = x;
    }
  }
  void set_y(double y) {
    __transaction_atomic {
      y_ = y;
    }
  }
  void set_xy(const Coord& other) {
    __transaction_atomic {
      x_ = other.x_;
      y_ = other.y_;
    }
  }

 private:
  double x_, y_;
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
