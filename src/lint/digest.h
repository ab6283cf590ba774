// From all findings to those that are shown: where there are very many, the worst of each
// variable, with the others folded into it.
#pragma once

#include <vector>

#include "lint/analysis.h"

namespace foretrace::lint {

// Findings that have their ids. Of each variable (and rule) as many stay as make no more
// than `most` in all; one at least. If these are still more, those of one object are folded
// (`queue.head` and `queue.size`). The worst stay; the order does not change.
std::vector<Finding> digest(const Program& program, std::vector<LintFinding> findings, size_t most);

}  // namespace foretrace::lint
