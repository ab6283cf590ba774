// Section 4.6.5: reset() sets the coordinates in two blocks. A swap() in between
// exchanges a coordinate that is reset with one that is not yet.
#include <thread>

struct Coord {
  int x = 0, y = 0;
};

class CoordMain {
 public:
  explicit CoordMain(Coord* coord) : coord_(coord) {}

  void run() {
    swap();
    reset();
  }

  void swap() {
    __transaction_atomic {
      int old_x = coord_->x;
      coord_->x = coord_->y;
      coord_->y = old_x;
    }
  }

  void reset() {
    __transaction_atomic {
      coord_->x = 0;
    }  // inconsistent state (0, y)
    __transaction_atomic {
      coord_->y = 0;  // EXPECT: WrW
    }
  }

 private:
  Coord* coord_;
};

int main() {
  Coord* const coord = new Coord();
  CoordMain first(coord), second(coord);
  std::thread a(&CoordMain::run, &first);
  std::thread b(&CoordMain::run, &second);
  a.join();
  b.join();
  delete coord;
}
