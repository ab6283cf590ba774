// The happens-before detector inside Embracer (paper 000, section 16.3).
#pragma once

#include <optional>
#include <vector>

#include "analyses/mb/must_before.h"
#include "analyses/mb/race_reports.h"
#include "analyses/race_finder.h"
#include "order/happens_before.h"

namespace foretrace::mb {

// Happens-before at the current point of the trace, and what reports need. Its
// clocks count in events, as those of must-before do: so the past accesses that
// must-before keeps of a location serve both orders.
class HbState {
 public:
  void resume(const Event& event) {
    order_.resume(event.thread);
    accesses_.resume(event);
  }
  void synchronise(uint64_t index, const Event& event) {
    if (event.op() != Op::acq && event.op() != Op::racq) {
      order_.leap(event.op() == Op::join ? event.object : event.thread, clock_of(index));
    }
    order_.advance(event);
    accesses_.synchronise(index, event);
  }
  Access begin(uint64_t index, const Event& event) {
    return accesses_.begin(index, event, Epoch(event.thread, clock_of(index)));
  }
  void end(uint64_t index, const Event& event) { accesses_.end(index, event); }

  bool ordered(Epoch past, ThreadId thread) { return ordered(past, thread, order_.clock(thread)); }

  // Finds the race of an access that is about to come with the latest of the past
  // ones, for each location once: the same as FirstPairFinder.
  void find_first_race(MustBefore& past_accesses, const Event& event, const Access& current) {
    const VectorClock& known = order_.clock(event.thread);
    bool all_ordered = true;
    past_accesses.for_each_clash(event, [&](Op, const PastAccess& past) {
      all_ordered &= ordered(past.epoch(), event.thread, known);
    });
    if (!all_ordered) propose_first(past_accesses, event, current);
  }

  // For AllPairFinder.
  bool ordered(const Access& past, ThreadId thread) { return ordered(past.epoch, thread); }
  void propose(const RaceSide& first, const Event& event, const Access& second) {
    const bool heard = order_.clock(event.thread).get(first.access.epoch.thread()) != 0;
    found_.push_back({event.object,
                      first,
                      {event.op(), second},
                      observed(first, event),
                      heard,
                      accesses_.relaxed_since(first.access)});
  }
  // What was found at the current access.
  std::vector<Race>& found() { return found_; }

  bool observed(const RaceSide& first, const Event& event) const {
    return accesses_.observed(first.access, event);
  }
  const LocksetTable& locksets() const { return accesses_.locksets(); }

 private:
  static bool ordered(Epoch past, ThreadId thread, const VectorClock& known) {
    return past.thread() == thread || past.clock() <= known.get(past.thread());
  }
  // Some past access is not ordered.
  [[gnu::noinline]] void propose_first(MustBefore& past_accesses, const Event& event,
                                       const Access& current) {
    if (slot(racy_, event.object) != 0) return;
    racy_[event.object] = 1;
    std::optional<RaceSide> latest;
    past_accesses.for_each_clash(event, [&](Op op, const PastAccess& past) {
      if (ordered(past.epoch(), event.thread)) return;
      if (!latest || past.index() > latest->access.index) latest = past.side(op);
    });
    propose(*latest, event, current);
  }

  HappensBefore order_;
  AccessContext accesses_;
  std::vector<uint8_t> racy_;  // by location: found
  std::vector<Race> found_;
};

}  // namespace foretrace::mb
