// Section 4.6.7: a value is read, something is computed from it for long, and the result is
// written only if the value is still the same. That is correct.
#include <thread>

struct Cell {
  int field = 0;
};

static Cell* shared = new Cell();

static int f(int x) { return x * x; }

static void do_transaction() {
  int value, fdata;
  bool done = false;
  while (!done) {
    __transaction_atomic {
      value = shared->field;
    }
    fdata = f(value);  // long computation
    __transaction_atomic {
      if (value == shared->field) {
        shared->field = fdata;
        done = true;
      }
    }
  }
}

static void run() { do_transaction(); }

int main() {
  std::thread a(run), b(run), c(run);
  a.join();
  b.join();
  c.join();
}
