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

int main() {
  std::thread a(run), b(run);
  a.join();
  b.join();
}
