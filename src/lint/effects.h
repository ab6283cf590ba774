// What an op reads and writes, calls of functions without a body included.
#pragma once

#include <vector>

#include "lint/models.h"
#include "lint/program.h"

namespace foretrace::lint {

struct Effect {
  Path path;                          // in the function's words
  std::vector<LocationId> locations;  // what it may be
  bool write = false;                 // else a read; what is read and written is a write
  bool atomic = false;
  Name element = Name();  // as in Access
  Tokens number = {};
};

// An access is one effect; what a call without a body does, the models say.
std::vector<Effect> effects(const Program& program, const Models& models, const Place& place);

}  // namespace foretrace::lint
