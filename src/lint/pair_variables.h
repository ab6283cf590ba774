// The variables of two blocks: their locations, of which those that overlap are one
// variable (category A of section 4.7 in paper 004: a container and its elements).
#pragma once

#include <vector>

#include "lint/overlaps.h"
#include "lint/partners.h"
#include "lint/patterns.h"

namespace foretrace::lint {

struct PairVariables {
  std::vector<std::vector<LocationId>> locations;  // by variable: those of the two blocks
  std::vector<VariableUse> uses;                   // by variable
};

PairVariables variables_of(const Effects& first, const Effects& second, Overlaps& overlaps,
                           Partners& partners);

}  // namespace foretrace::lint
