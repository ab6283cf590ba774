// Section 4.6.12: a counter is doubled by adding its value, which is got by adding 0.
#include <thread>

class Counter {
 public:
  int inc(int a) {
    int result;
    __transaction_atomic {
      i_ += a;
      result = i_;
    }
    return result;
  }

 private:
  int i_ = 0;
};

static Counter* c;

static void run() {
  int i = c->inc(0);
  c->inc(i);  // EXPECT: RwW
}

int main() {
  c = new Counter();
  std::thread first(run);
  std::thread second(run);
  first.join();
  second.join();
}
