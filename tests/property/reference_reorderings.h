// All correct reorderings of a small trace, by trying everything.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "trace/stream.h"

namespace foretrace::testing {

struct Reachable {
  // Clashing accesses (by index, earlier first) that are both next at some point
  // of some correct reordering.
  std::set<std::pair<uint64_t, uint64_t>> races;
  // Sets of acquires that are all next at some point and wait for each other in
  // a cycle.
  std::set<std::set<uint64_t>> deadlocks;
  // Reads, and what they can see that is not what they saw in the trace: a write
  // (by index) or the initial value (none).
  std::set<std::pair<uint64_t, std::optional<uint64_t>>> other_reads;
  uint64_t states = 0;
};

Reachable explore_reorderings(const Trace& trace);

// Some correct reordering contains all of these events, the first of each pair
// before the second.
bool some_reordering_has(const Trace& trace,
                         const std::vector<std::pair<uint64_t, uint64_t>>& pairs);

// The events in that order, as a trace of their own; nothing if no program could
// produce that.
std::optional<Trace> trace_in_order(const Trace& trace, const std::vector<uint64_t>& order);

}  // namespace foretrace::testing
