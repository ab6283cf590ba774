// The schedule of a finding, whichever way it is said.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "trace/stream.h"

namespace foretrace {

// Long schedules are said in `detail.schedule`: first come, in the order of the
// trace, the events of each thread up to that index; then these.
struct ShortSchedule {
  std::map<std::string, uint64_t> first;
  std::vector<uint64_t> then;

  bool begins_with(const std::string& thread, uint64_t index) const {
    const auto last = first.find(thread);
    return last != first.end() && index <= last->second;
  }
};
std::optional<ShortSchedule> short_schedule(const Finding& finding);

// Whether there is one that is not just the beginning of the trace.
bool has_schedule(const Finding& finding);

// Whether the finding's events are in the trace where it says.
bool is_about(const Finding& finding, const Trace& trace);

// All of its events; none if the finding has no schedule. `trace` is the one that the
// finding is about; without one, those that come `then`.
std::vector<uint64_t> schedule_of(const Finding& finding, const Trace& trace);

}  // namespace foretrace
