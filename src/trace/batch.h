// A run of consecutive events: what flows from readers to analyses.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "trace/event.h"

namespace foretrace {

// A view. The same analysis code runs over the batches of a stream and over a
// whole Trace, which is one batch.
struct EventBatch {
  uint64_t first_index = 0;  // the index of events[0]
  std::span<const Event> events;
  std::span<const int64_t> big_values;
  // False: none of the accesses races in any schedule, and no other batch has one of their
  // threads, locks or locations, unless it says the same.
  bool may_race = true;

  std::optional<int64_t> value_of(const Event& event) const {
    if (event.has_value == 0) return std::nullopt;
    return event.big_value != 0 ? big_values[static_cast<uint32_t>(event.value)] : event.value;
  }
};

// A batch that owns its events; readers fill it, and it is reused.
struct EventBuffer {
  uint64_t first_index = 0;
  std::vector<Event> events;
  std::vector<int64_t> big_values;  // values that do not fit an event
  // For text formats: lines[i] is the line of events[i], counted from 1.
  std::vector<uint64_t> lines;
  bool may_race = true;  // as in EventBatch

  EventBatch batch() const { return {first_index, events, big_values, may_race}; }

  void clear(uint64_t index) {
    first_index = index;
    events.clear();
    big_values.clear();
    lines.clear();
    may_race = true;
  }

  void set_value(Event& event, int64_t value) {
    event.has_value = 1;
    event.big_value =
        value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max();
    if (event.big_value != 0) {
      event.value = static_cast<int32_t>(big_values.size());
      big_values.push_back(value);
    } else {
      event.value = static_cast<int32_t>(value);
    }
  }
};

// How many events readers put into a batch, about.
inline constexpr size_t kBatchEvents = size_t{1} << 15;

}  // namespace foretrace
