// Parts of a trace as traces of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/stream.h"

namespace foretrace {

// Indexes of events, ascending.
using Selection = std::vector<uint32_t>;

// The selected events as a trace. It has the names that they use and no others, so
// that looking at a small part costs little; and no values, which would be wrong
// where a write is missing. Events that no program could produce without those
// that are missing are left out, and taken from the selection.
Trace subtrace(const Trace& trace, Selection& selection, const WellFormedOptions& options);

// The same trace with short names: threads 1, 2, …; locations x, y, …; locks l, m,
// …. Locations that share an object, as `account.balance` and `account.owner` do,
// still share one.
Trace with_short_names(const Trace& trace);

}  // namespace foretrace
