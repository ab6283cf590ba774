// All traces that are equivalent to a trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "programs/reordering_rules.h"
#include "trace/stream.h"

namespace foretrace::programs {

// The traces, one after the other; the first one is the trace itself. Nothing is
// computed before it is asked for. The trace must outlive it.
class Equivalents {
 public:
  Equivalents(const Trace& trace, Equivalence equivalence);

  // Goes to the first, then to the next; false if there is none.
  bool next();
  // The one it is at: the indexes of its events.
  const std::vector<uint32_t>& order() const { return order_; }
  // A read that sees another write than before has that one's value, or none.
  Trace trace() const;

 private:
  bool descend(uint32_t after);

  const Trace& trace_;
  const ReorderingRules rules_;
  ReorderingState state_;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> former_writes_;  // for undo()
  bool started_ = false;
};

// How many there are, in decimal. An error if that takes too much memory.
Result<std::string> count_equivalents(const Trace& trace, Equivalence equivalence);

}  // namespace foretrace::programs
