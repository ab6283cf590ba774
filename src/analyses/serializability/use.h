// What the predictive form knows of an event.
#pragma once

#include <cstdint>

#include "order/lockset.h"
#include "order/vector_clock.h"
#include "trace/event.h"

namespace foretrace::serializability {

// An access of a location or an acquire of a lock. Acquires are to locks what
// writes are to locations, and acquires for reading what reads are.
struct Use {
  uint64_t index = 0;
  Event event = {};
  Op op = Op::skip;                // the event's; acq for the end of a wait
  uint32_t object = 0;             // the event's, or the lock of the wait
  Epoch epoch = {};                // in the order that no schedule can change
  LocksetId held = kEmptyLockset;  // an acquire does not hold its lock yet
};
constexpr bool only_reads(Op op) { return (reads(op) && !writes(op)) || op == Op::racq; }

}  // namespace foretrace::serializability
