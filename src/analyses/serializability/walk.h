// What a thread did last, and units that are over, for the predictive forms that
// compare the two.
#pragma once

#include <cstdint>
#include <vector>

#include "analyses/serializability/tangle.h"
#include "analyses/serializability/use.h"

namespace foretrace::serializability {

struct WalkStep {
  Use use;
  uint64_t unit;   // the number of the outermost one, 0 is none
  uint32_t label;  // its label
};

// The last uses of a thread, in the order of its program.
struct Walk {
  std::vector<WalkStep> steps;
  std::vector<Release> releases;
  size_t fresh = 0;  // steps that units of the past were not compared with
};

struct PastUnit {
  ThreadId thread = 0;
  uint64_t number = 0;
  std::vector<Use> uses;
  std::vector<Release> releases;
};

}  // namespace foretrace::serializability
