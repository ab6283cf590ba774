// Orders computed straight from their definitions: slow, and obviously right.
#pragma once

#include <optional>
#include <vector>

#include "trace/stream.h"

namespace foretrace::testing {

// before[a][b]: event a is ordered before event b.
using Relation = std::vector<std::vector<bool>>;

// The transitive closure.
void close_transitively(Relation& relation);

// Program order: the events of each thread as they appear.
Relation program_order(const Trace& trace);

// Happens-before (Definition 2), with the edges for operations beyond the paper
// that docs/analyses/hb.md lists.
Relation reference_happens_before(const Trace& trace);

// Of that, the edges from the arrivals at a barrier to what follows it.
void add_barrier_edges(const Trace& trace, Relation& before);

// For each event, the locks that its thread holds when it happens; an acq
// already holds its lock, a rel still does. Shared holds are second.
struct ReferenceHeld {
  std::vector<std::vector<LockId>> exclusive;
  std::vector<std::vector<LockId>> shared;
};
ReferenceHeld reference_held(const Trace& trace);

// The index of the thread's first event after `index`, if it has one.
std::optional<size_t> next_of_thread(const Trace& trace, size_t index);

// Two accesses of one location by two threads, one of them a write.
bool clash(const Event& a, const Event& b);

}  // namespace foretrace::testing
