// Embracer: races of the must-before order, predicted while the trace is read
// (paper 000, part V).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/analysis.h"
#include "analyses/mb/embedded_hb.h"
#include "analyses/mb/must_before.h"
#include "analyses/mb/pending.h"
#include "analyses/race_finder.h"

namespace foretrace::mb {

class Embracer : public Analysis {
 public:
  Embracer(AnalysisContext context, const MustBeforeOptions& options, bool all_pairs);

  void process(const EventBatch& batch) override;
  void finish() override;
  std::vector<std::string> notes() const override;

  MustBeforeStatistics statistics() const { return order_.statistics(); }
  // Accesses that wait for a decision, and pairs that got none; see
  // docs/analyses/mb.md.
  size_t pending() const { return pending_.size(); }
  uint64_t undecided() const { return undecided_; }

 private:
  // Must-before as AllPairFinder wants to see it; keeps what it is given.
  struct AllClashes {
    Embracer& self;
    bool ordered(const Access& past, ThreadId thread) {
      return self.order_.ordered(past.epoch, thread);
    }
    void propose(const RaceSide& first, const Event& event, const Access& second) {
      self.add_clash(first, event, second, self.order_.stretch(event.thread));
    }
  };
  // What reporting all pairs needs: every access, twice.
  struct AllPairs {
    AllPairs(Embracer& self, const AnalysisSettings& settings)
        : clashes{self}, finder(settings, UINT64_MAX), hb_finder(settings) {}
    AllClashes clashes;
    AllPairFinder<AllClashes> finder;
    AllPairFinder<HbState> hb_finder;
  };

  void synchronise(uint64_t index, const Event& event);
  void access(uint64_t index, const Event& event);
  void settle(uint64_t index);
  // `before` is the stretch that the access comes after.
  void add_clash(const RaceSide& first, const Event& event, const Access& second,
                 const Stretch& before);

  MustBefore order_;
  HbState hb_;
  RaceReports reports_;
  PendingClashes pending_;
  std::optional<AllPairs> all_pairs_;
  std::vector<Race> clashes_;  // of the current access, reused
  uint64_t undecided_ = 0;
  const uint64_t window_;
};

}  // namespace foretrace::mb
