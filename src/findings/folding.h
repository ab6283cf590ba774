// Many findings of one variable are no more than a reader wants to hear of it: the worst is
// shown, and has the others in its `detail.more`, in short. Nothing is lost by it: what
// leaves findings out (baselines, suppressions) looks at each.
#pragma once

#include <cstddef>
#include <vector>

#include "findings/finding.h"

namespace foretrace {

// The first, with the others in its detail. They have the same analysis, kind and strength.
Finding folded(std::vector<Finding> findings);

// It and those in its detail, which have lost their calls and locks.
std::vector<Finding> unfolded(Finding finding);

// How many are in its detail.
size_t folded_into(const Finding& finding);
// Leaves the one that is shown.
void forget_folded(Finding& finding);

}  // namespace foretrace
