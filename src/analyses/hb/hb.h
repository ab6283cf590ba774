// The happens-before race detector (paper 000, section 8.1), with epochs as in
// FastTrack.
#pragma once

#include <string_view>

#include "analyses/analysis.h"
#include "analyses/race.h"
#include "order/happens_before.h"
#include "order/lockset.h"

namespace foretrace {

inline constexpr std::string_view kHbName = "hb";

// What both forms of the detector need at each access.
class HbState {
 public:
  explicit HbState(AnalysisContext context) : context_(std::move(context)), held_(locksets_) {}

  // For every event that is not an access.
  void synchronise(uint64_t index, const Event& event) {
    if (event.resumes != 0) resume(event);
    order_.advance(event);
    held_.advance(event);
    ready_.advance(index, event);
  }
  // For every access: first begin(), then the checks, then end().
  Access begin(uint64_t index, const Event& event) {
    if (event.resumes != 0) resume(event);
    return {order_.epoch(event.thread), index, event.site, held_.held(event.thread)};
  }
  void end(uint64_t index, const Event& event) { ready_.advance(index, event); }

  bool ordered(const Access& past, ThreadId thread) { return order_.ordered(past.epoch, thread); }

  // Proposes the race of `first` with `event`, whose access is `second`.
  void propose(const RaceSide& first, const Event& event, const Access& second);

  const AnalysisSettings& settings() const { return context_.settings; }

 private:
  void resume(const Event& event) {
    order_.resume(event.thread);
    held_.resume(event);
  }
  std::string reason(const RaceSide& first, const RaceSide& second);

  AnalysisContext context_;
  HappensBefore order_;
  LocksetTable locksets_;
  HeldLocks held_;
  ReadySince ready_;
};

// For each racy location, the pair whose second access comes earliest.
std::unique_ptr<Analysis> make_hb_first_pairs(AnalysisContext context);
// Every pair of clashing accesses that happens-before does not order.
std::unique_ptr<Analysis> make_hb_all_pairs(AnalysisContext context);

}  // namespace foretrace
