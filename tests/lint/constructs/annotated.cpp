// FORETRACE_ATOMIC scopes and functions.
#include <thread>

#include "foretrace/annotate.h"

static int good, bad;

static void run() {
  int value;
  {
    FORETRACE_ATOMIC("run");
    value = bad;
    good++;
  }
  FORETRACE_ATOMIC("run");
  bad = value + 1;  // EXPECT: RwW
}

static int counter;
FORETRACE_ATOMIC_FUNCTION static int get() { return counter; }
FORETRACE_ATOMIC_FUNCTION static void set(int value) { counter = value; }
FORETRACE_ATOMIC_FUNCTION static void add() { set(get() + 1); }

static void count() {
  set(get() + 1);  // EXPECT: RwW
  add();
}

int main() {
  std::thread a(run), b(run), c(count), d(count);
  c.join();
  d.join();
  a.join();
  b.join();
}
