// Section 4.6.3: a thread copies a shared variable, changes the copy and writes it back:
// what others wrote in between is lost.
#include <thread>

struct Cell {
  int n = 0;
  int get_value() { return n; }
  void set_value(int value) { n = value; }
};

static Cell* x = new Cell();

static void run() {
  int tmp;
  __transaction_atomic {
    tmp = x->get_value();
  }
  tmp++;
  __transaction_atomic {
    x->set_value(tmp);  // EXPECT: RwW
  }
}

int main() {
  std::thread first(run);
  std::thread second(run);
  first.join();
  second.join();
}
