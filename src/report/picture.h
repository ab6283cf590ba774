// A schedule drawn with characters: threads as columns, time downwards.
#pragma once

#include <string>
#include <vector>

#include "findings/finding.h"
#include "report/excerpt.h"

namespace foretrace {

// The trace as it was observed and, beside it, the schedule that shows the
// error, if that is another one. One string a line.
std::vector<std::string> pictures(const Excerpt& observed, const Finding& finding);

}  // namespace foretrace
