#include <cstdio>

#include "shared.h"

namespace multi {

// Only printing excludes printing: the write is in no block.
void Printer::print(const int& message) {
  __transaction_relaxed {
    std::printf("%d\n", message);  // EXPECT: data-race rd with wr #run_me
  }
}

}  // namespace multi
