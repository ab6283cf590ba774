// Events of a trace, with their places in it, for reports that draw schedules.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "findings/finding.h"
#include "trace/stream.h"

namespace foretrace {

struct EventTable {
  std::shared_ptr<const Symbols> symbols;  // null: the trace was not at hand
  std::vector<uint64_t> indexes;           // ascending
  std::vector<Event> events;               // by place in `indexes`; may hold Op::skip
  std::vector<int64_t> big_values;
  std::vector<bool> has_schedule;  // by finding: all events of its schedule are here

  // `event` is of `batch`; its index is greater than those before.
  void add(uint64_t index, Event event, const EventBatch& batch);
};

// Goes through the trace once more. A trace of up to 200,000 events is taken
// whole; of a longer one what the schedules of findings need and what is around
// their events, up to 300,000 events: first come, first served.
Result<EventTable> collect_events(TraceStream& stream, uint64_t event_count,
                                  const std::vector<Finding>& findings);

}  // namespace foretrace
