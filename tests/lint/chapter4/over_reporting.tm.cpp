// Section 4.6.11: a map that is filled when it is used first. There is no high-level
// anomaly, but the first look at init_done_ is in no block: a race.
#include <cstdlib>
#include <thread>

class Map {
 public:
  void init() {
    if (!init_done_) {  // EXPECT: data-race rd with wr #done
      __transaction_relaxed {
        init_done_ = true;  //#done
        length_ = std::rand() % 10 + 1;
        keys_ = new int[length_]();
        values_ = new int[length_]();
      }
    }
  }

  int get(int key) {
    int result = 0;
    __transaction_atomic {
      for (int i = 0; i < length_; i++) {
        if (keys_[i] == key) {
          result = values_[i];
          break;
        }
      }
    }
    return result;
  }

 private:
  int* keys_ = nullptr;
  int* values_ = nullptr;
  int length_ = 0;
  bool init_done_ = false;
};

static Map* m;

static void run() {
  m->init();  // lazy initialisation
  m->get(7);
}

int main() {
  m = new Map();
  std::thread first(run);
  std::thread second(run);
  first.join();
  second.join();
}
