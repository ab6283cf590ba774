// The happens-before detector inside Embracer (paper 000, section 16.3).
#pragma once

#include <vector>

#include "analyses/mb/race_reports.h"
#include "analyses/race_finder.h"
#include "order/happens_before.h"

namespace foretrace::mb {

// Happens-before at the current point of the trace, and what reports need.
class HbState {
 public:
  void resume(const Event& event) {
    order_.resume(event.thread);
    accesses_.resume(event);
  }
  void synchronise(uint64_t index, const Event& event) {
    order_.advance(event);
    accesses_.synchronise(index, event);
  }
  Access begin(uint64_t index, const Event& event) {
    return accesses_.begin(index, event, order_.epoch(event.thread));
  }
  void end(uint64_t index, const Event& event) { accesses_.end(index, event); }

  // For the race finders.
  bool ordered(const Access& past, ThreadId thread) { return order_.ordered(past.epoch, thread); }
  void propose(const RaceSide& first, const Event& event, const Access& second) {
    const bool heard = order_.clock(event.thread).get(first.access.epoch.thread()) != 0;
    found_.push_back({event.object, first, {event.op(), second}, observed(first, event), heard});
  }
  // What they found at the current access.
  std::vector<Race>& found() { return found_; }

  bool observed(const RaceSide& first, const Event& event) const {
    return accesses_.observed(first.access, event);
  }
  const LocksetTable& locksets() const { return accesses_.locksets(); }

 private:
  HappensBefore order_;
  AccessContext accesses_;
  std::vector<Race> found_;
};

}  // namespace foretrace::mb
