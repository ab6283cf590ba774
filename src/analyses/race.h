// What the race detectors share: the accesses they remember, and the candidates
// they make of two of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/analysis.h"
#include "base/table.h"
#include "order/lockset.h"
#include "order/vector_clock.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

// Two accesses of one location by two threads, one of them a write, make a
// clash; this is one such access as detectors remember it.
struct Access {
  Epoch epoch;
  uint64_t index = 0;
  SiteId site = kNoSite;
  LocksetId held = kEmptyLockset;
};

inline constexpr AnalysisOption kAllPairsOption = {
    "all-pairs", "", "", "Report every racing pair of accesses, not one per location"};
inline constexpr AnalysisOption kMaxPairsOption = {"max-pairs", "N", "1M",
                                                   "Stop listing pairs after N, and say so"};

inline constexpr AnalysisOption kMaxAccessesOption = {
    "max-accesses", "N", "32M",
    "With --all-pairs: keep N accesses to pair later ones with, then only the latest of each "
    "thread and location"};

// Tells whether the observed trace is itself the witness of a race: whether,
// right before the first access, the second one was its thread's next event.
class ReadySince {
 public:
  // For every event, in trace order.
  void advance(uint64_t index, const Event& event) {
    set(event.thread, index + 1);
    if (event.op() == Op::fork) set(event.object, index + 1);
  }
  // Whether `thread` could have taken its next event, an access, at any time
  // from `index` on. To be asked before advance() for that access.
  bool ready_at(uint64_t index, const Event& access) const {
    if (access.resumes != 0) return false;
    return access.thread >= since_.size() || since_[access.thread] <= index;
  }

 private:
  void set(ThreadId thread, uint64_t since) { slot(since_, thread) = since; }
  std::vector<uint64_t> since_;  // the index after the event that made it ready
};

// What race detectors note of accesses beside their order: the locks that are
// held, and whether the trace itself shows a race.
class AccessContext {
 public:
  AccessContext() : held_(locksets_) {}

  void resume(const Event& event) { held_.resume(event); }
  // For every event that is not an access, after resume() if `resumes` is set.
  void synchronise(uint64_t index, const Event& event) {
    held_.advance(event);
    ready_.advance(index, event);
    if (is_relaxed(event.op())) after_relaxed_ = index + 1;
  }
  // Before and after the checks of every access.
  Access begin(uint64_t index, const Event& event, Epoch epoch) {
    return {epoch, index, event.site, held_.held(event.thread)};
  }
  void end(uint64_t index, const Event& event) { ready_.advance(index, event); }

  // Whether right before the past access the current one could have come, too.
  bool observed(const Access& past, const Event& current) const {
    return ready_.ready_at(past.index, current);
  }
  // Whether there was a relaxed atomic operation since.
  bool relaxed_since(const Access& past) const { return past.index < after_relaxed_; }
  const LocksetTable& locksets() const { return locksets_; }

 private:
  LocksetTable locksets_;
  HeldLocks held_;
  ReadySince ready_;
  uint64_t after_relaxed_ = 0;  // the index behind the last such operation
};

// One side of a race. The thread is that of the access's epoch.
struct RaceSide {
  Op op = Op::rd;
  Access access;
};

// Why happens-before does not order two accesses. `heard`: the second thread knows
// something of the first one, but too little.
std::string unordered_by_hb(const Symbols& symbols, ThreadId first, ThreadId second, bool heard);

// The candidate for a race between two accesses of `location`, the earlier one
// first. `observed` says that the trace itself is the witness (see ReadySince):
// `detail.prefix` then says how many of its events come before the two.
Candidate race_candidate(std::string_view analysis, const Symbols& symbols,
                         const LocksetTable& locksets, LocationId location, const RaceSide& first,
                         const RaceSide& second, bool observed, std::string reason);

}  // namespace foretrace
