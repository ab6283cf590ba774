// What the must-before analysis reports.
#pragma once

#include <string>
#include <vector>

#include "analyses/analysis.h"
#include "analyses/race.h"

namespace foretrace::mb {

// Two clashing accesses, the earlier one first, that are not ordered.
struct Race {
  LocationId location = 0;
  RaceSide first;
  RaceSide second;
  bool observed = false;  // the trace itself is the witness
  bool heard = false;     // older events of the first thread are ordered before the second access
  bool relaxed = false;   // there were relaxed atomic operations between them
};

class RaceReports {
 public:
  // `locksets` has the locks that the races' accesses hold.
  RaceReports(AnalysisContext context, const LocksetTable& locksets)
      : context_(std::move(context)),
        locksets_(locksets),
        max_pairs_(context_.settings.count(kMaxPairsOption)) {}

  // A race of the must-before order.
  void must_before(const Race& race);
  // One of happens-before that is none of must-before. It is what `hb` proposes.
  void happens_before(const Race& race);

  // `missed`: pairs that were not looked at.
  std::vector<std::string> notes(uint64_t missed) const;

 private:
  struct Threads {
    std::string first;
    std::string second;
  };
  Threads threads_of(const Race& race) const;
  Candidate candidate(std::string_view analysis, const Race& race, std::string reason) const;

  const AnalysisContext context_;
  const LocksetTable& locksets_;
  const uint64_t max_pairs_;
  uint64_t pairs_ = 0;
};

}  // namespace foretrace::mb
