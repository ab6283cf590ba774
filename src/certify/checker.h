// Checks a schedule against the trace, independently of how it was found: it
// knows nothing of models and searches, only of Definition 7.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "certify/schedule.h"
#include "trace/stream.h"

namespace foretrace {

class ScheduleBonds;

// Knows, for one trace, what a schedule must keep: each thread does a prefix of
// its events in its order; each read sees the write that it saw in the trace;
// locks are respected; a thread runs only after its fork, and is joined only
// after its last event; a wait ends only after the notifies that came during it
// in the trace, which come after it began; a thread leaves a barrier only after
// all arrivals of its generation, and generations keep their order.
//
// Each check says in its error which event breaks which rule. It costs a look at
// the threads and at the events of `Schedule::then`. Any number of
// threads may check at the same time. The trace must outlive the checker.
class ScheduleChecker {
 public:
  explicit ScheduleChecker(const Trace& trace);
  ~ScheduleChecker();

  // It keeps all that.
  Result<void> check(const Schedule& schedule) const;

  // And it ends with two clashing accesses, both of which were next before them;
  // what these two read does not matter.
  Result<void> check_race(const Schedule& schedule) const;

  // And it ends with a read that sees not what it saw in the trace but
  // `challenger`, or the initial value if there is none.
  Result<void> check_other_read(const Schedule& schedule, std::optional<uint64_t> challenger) const;

  // And after it, each of these acquires is its thread's next event and waits
  // for a lock that another thread of them holds.
  Result<void> check_deadlock(const Schedule& schedule,
                              const std::vector<uint64_t>& acquires) const;

  // And it contains all of these events, the first of each pair before the second.
  Result<void> check_ordered(const Schedule& schedule,
                             std::span<const std::pair<uint64_t, uint64_t>> pairs) const;

 private:
  const Trace& trace_;
  std::unique_ptr<const ScheduleBonds> bonds_;
};

}  // namespace foretrace
