#include "shared.h"

namespace multi {

void RunMe::run() {
  Main::x = 42;  //#run_me
}

}  // namespace multi
