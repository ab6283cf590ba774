// A region whose accesses are not to be recorded.
// compilers: plugin static gcc clang-14
// expect none
#include <thread>

#include "foretrace/annotate.h"

int statistics = 0;

int main() {
  const auto count = [] {
    FORETRACE_IGNORE_BEGIN();
    ++statistics;
    FORETRACE_IGNORE_END();
  };
  std::thread first(count);
  std::thread second(count);
  first.join();
  second.join();
}
