// The happens-before detector inside Embracer (paper 000, section 16.3).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analyses/mb/race_reports.h"
#include "analyses/race_finder.h"
#include "order/happens_before.h"
#include "order/lockset.h"

namespace foretrace::mb {

// Happens-before at the current point of the trace, and what reports need.
class HbState {
 public:
  HbState() : held_(locksets_) {}

  void resume(const Event& event) {
    order_.resume(event.thread);
    held_.resume(event);
  }
  // For every event that is not an access, after resume() if `resumes` is set.
  void synchronise(uint64_t index, const Event& event) {
    order_.advance(event);
    held_.advance(event);
    ready_.advance(index, event);
  }
  // Before and after the checks of every access.
  Access begin(uint64_t index, const Event& event) {
    return {order_.epoch(event.thread), index, event.site, held_.held(event.thread)};
  }
  void end(uint64_t index, const Event& event) { ready_.advance(index, event); }

  // For the race finders.
  bool ordered(const Access& past, ThreadId thread) { return order_.ordered(past.epoch, thread); }
  void propose(const RaceSide& first, const Event& event, const Access& second) {
    const bool heard = order_.clock(event.thread).get(first.access.epoch.thread()) != 0;
    found_.push_back({event.object, first, {event.op(), second}, observed(first, event), heard});
  }
  // What they found at the current access.
  std::vector<Race>& found() { return found_; }

  bool observed(const RaceSide& first, const Event& event) const {
    return ready_.ready_at(first.access.index, event);
  }
  const LocksetTable& locksets() const { return locksets_; }

 private:
  HappensBefore order_;
  LocksetTable locksets_;
  HeldLocks held_;
  ReadySince ready_;
  std::vector<Race> found_;
};

}  // namespace foretrace::mb
