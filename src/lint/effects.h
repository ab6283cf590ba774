// What an op reads and writes, calls of functions without a body included.
#pragma once

#include <vector>

#include "lint/program.h"

namespace foretrace::lint {

struct Effect {
  Path path;                          // in the function's words
  std::vector<LocationId> locations;  // what it may be
  bool write = false;
  bool atomic = false;
  bool on_the_way = false;
};

// An access is one effect, or none if nothing is known of its object. A call of a
// function without a body reads its object if it is a const method, and else writes it;
// what it gets by reference it reads if that is const, and else writes. Models of
// library calls know better.
std::vector<Effect> effects(const Program& program, const Place& place);

}  // namespace foretrace::lint
