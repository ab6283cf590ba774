// Accesses side by side that have one site: what is left of a short loop over an
// array that LLVM has unrolled, or of the copy of a structure.
#pragma once

#include <vector>

#include <llvm/Analysis/AliasAnalysis.h>

#include "instrument/access.h"

namespace foretrace::instrument {

// Makes one access of those that have the same site and lie side by side, where
// their order among the others does not matter. A read takes the place of the last,
// a write that of the first of them. `accesses` are in the order of their blocks.
void join_adjacent(std::vector<Access>& accesses, llvm::AAResults& aliases);

}  // namespace foretrace::instrument
