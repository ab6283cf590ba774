// A picture of what each thread did over time, for the terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/trace_statistics.h"

namespace foretrace {

// One line for each of `threads`, time running from left to right, with an axis
// above and a legend below.
std::string draw_threads(const TraceStatistics& statistics, const Symbols& symbols,
                         const std::vector<ThreadId>& threads);

}  // namespace foretrace
