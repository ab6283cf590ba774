// An order that Foretrace cannot see, told by the program.
// compilers: plugin static gcc clang-14
// expect none
#include <thread>

#include "foretrace/annotate.h"

int value = 0;
volatile int flag = 0;

int main() {
  FORETRACE_BENIGN_RACE(&flag, sizeof flag);
  std::thread consumer([] {
    while (flag == 0) std::this_thread::yield();
    FORETRACE_HAPPENS_AFTER(&value);
    ++value;
  });
  value = 41;
  FORETRACE_HAPPENS_BEFORE(&value);
  flag = 1;
  consumer.join();
  return value != 42;
}
