// Causally-precedes (paper 000, Definition 5) computed straight from its
// definition, with the additions that docs/analyses/cp.md lists.
#pragma once

#include <vector>

#include "property/reference_order.h"
#include "trace/stream.h"

namespace foretrace::testing {

// A critical section. One that is still open at the end of the trace ends with
// its thread's last event, and nothing follows it.
struct ReferenceSection {
  LockId lock;
  bool shared;
  size_t acquire;  // for the end of a wait: the thread's next event
  size_t release;
  bool closed;
};
std::vector<ReferenceSection> reference_sections(const Trace& trace);

Relation reference_causally_precedes(const Trace& trace);

}  // namespace foretrace::testing
