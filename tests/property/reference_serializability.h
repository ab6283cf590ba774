// Conflict-serializability by trying serial orders.
#pragma once

#include <cstdint>
#include <vector>

#include "property/reference_order.h"
#include "trace/stream.h"

namespace foretrace::testing {

// conflict[a][b], a before b in the trace: the two may not change places, as
// docs/analyses/serializability.md lists it.
Relation reference_conflicts(const Trace& trace);

// For each event the transaction that it belongs to: its outermost unit, or one
// of its own. Numbers count up in the order of the trace.
std::vector<size_t> reference_transactions(const Trace& trace);

// Whether some order of whole transactions, of those that have events among the
// first `length`, keeps the order of all conflicting pairs of these events.
bool has_serial_order(const Trace& trace, size_t length);

}  // namespace foretrace::testing
