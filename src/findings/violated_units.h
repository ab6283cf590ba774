// Findings about units, unit by unit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "findings/finding.h"

namespace foretrace {

// The units that are at fault for a finding, outermost first; none if it is not
// about units.
std::vector<std::string> blamed_units(const Finding& finding);

struct Culprit {
  std::string where;  // its function, place in the source or thread: the best that is known
  uint64_t times = 0;
};

struct ViolatedUnit {
  std::string label;
  Strength strength = Strength::predicted;  // of its strongest finding
  // How often it was violated, by the count of the analysis that saw it most
  // often: analyses see the same violations.
  uint64_t times = 0;
  std::vector<Culprit> culprits;  // most frequent first
};

// The strongest first; among equals, the most often violated.
std::vector<ViolatedUnit> violated_units(const std::vector<Finding>& findings);

}  // namespace foretrace
