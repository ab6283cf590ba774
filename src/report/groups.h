// Findings that a reader would call one.
#pragma once

#include <string>
#include <vector>

#include "findings/finding.h"

namespace foretrace {

// The same error seen by several analyses, or at many locations from the same
// places in the source. Members are places in the list of findings.
struct Group {
  size_t leader = 0;                // the strongest, shown for all
  std::vector<size_t> same_error;   // by other analyses
  std::vector<size_t> same_places;  // other locations or accesses
};

// The groups, strongest leader first; among equals, in the order of the list.
std::vector<Group> grouped(const std::vector<Finding>& findings);

// "The same places make 3 more findings: a, b, c."; empty if there are none.
std::string same_places_text(const Group& group, const std::vector<Finding>& findings);

}  // namespace foretrace
