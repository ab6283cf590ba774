// Brings the accesses of a trace to the detector: who accesses what in which unit.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyses/atomic-sets/detector.h"
#include "analyses/atomic-sets/set_map.h"
#include "order/lockset.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace::atomic_sets {

// An access belongs to the outermost open unit of its thread that is declared on
// its set. Volatile accesses are synchronisation, and belong to no set.
class Watcher {
 public:
  Watcher(const Symbols& symbols, Granularity granularity,
          std::function<void(const Violation&)> report)
      : symbols_(symbols),
        sets_(symbols, granularity),
        detector_(std::move(report)),
        held_(locksets_) {}

  // See SetMap::update().
  bool update() { return sets_.update(); }
  void see(uint64_t index, const Event& event);

  const SetMap& sets() const { return sets_; }
  const LocksetTable& locksets() const { return locksets_; }
  uint64_t most_summaries() const { return detector_.most_summaries(); }

 private:
  struct OpenUnit {
    uint32_t label;
    std::vector<SetId> touched;  // sets of which it has accessed locations
  };

  void access(uint64_t index, const Event& event);
  OpenUnit* owner(ThreadId thread, SetId set);
  void end_unit(ThreadId thread);
  void renew_object(const Event& event);

  const Symbols& symbols_;
  SetMap sets_;
  Detector detector_;
  LocksetTable locksets_;
  HeldLocks held_;
  std::vector<std::vector<OpenUnit>> threads_;  // open units, outermost first
};

}  // namespace foretrace::atomic_sets
