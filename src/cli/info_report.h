// What `foretrace info` prints.
#pragma once

#include <string>

#include "cli/trace_statistics.h"

namespace foretrace {

struct InfoReport {
  std::string source;  // the trace's name
  const Symbols& symbols;
  const TraceStatistics& statistics;
  size_t top;  // rows of a table
};

std::string info_text(const InfoReport& report);
std::string info_json(const InfoReport& report);

// The threads, busiest first; the locks with most acquires, the locations with
// most accesses first. At most `top` of those that are used at all.
std::vector<ThreadId> busiest_threads(const TraceStatistics& statistics, size_t top);
std::vector<LockId> busiest_locks(const TraceStatistics& statistics, size_t top);
std::vector<LocationId> hottest_locations(const TraceStatistics& statistics, size_t top);

}  // namespace foretrace
