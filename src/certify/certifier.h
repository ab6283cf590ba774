// Decides candidates: the step between analyses and findings.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyses/candidate.h"
#include "trace/stream.h"

namespace foretrace {

struct CertifierOptions {
  uint64_t budget = 0;   // for the instances of one error together, as certify() counts
  unsigned workers = 0;  // 0: one per core
  // Called now and then with the number of groups that are decided and of all;
  // false stops, and what is left counts as undecided.
  std::function<bool(size_t, size_t)> progress = {};
  // Schedules are written out up to this length, and this much of all together, short
  // ones first; the others are said in `detail.schedule` (docs/findings.md).
  uint64_t longest_schedule = 10'000'000;
  uint64_t all_schedules = 30'000'000;
};

// What became of the candidates of one analysis.
struct Decisions {
  uint64_t certified = 0;
  uint64_t infeasible = 0;
  uint64_t undecided = 0;
};

// Looks for a schedule for each candidate that has none. What is found, and has
// passed the checker, makes the candidate `certified`, with the schedule as its
// witness (or, if that is long, in `detail.schedule`); what cannot be stays as it is, with
// `detail.certify` saying "infeasible" or "undecided". Of a group, instances are tried until one is
// certified, and only that one (else the first) stays. What the trace
// itself shows gets the beginning of the trace as its witness, if that is short. Candidates that
// are only worth reporting if certified, and are not, are removed. By analysis, says how many
// groups were decided how; those that needed no decision do not count.
std::map<std::string, Decisions> decide(const Trace& trace, std::vector<Candidate>& candidates,
                                        const CertifierOptions& options);

}  // namespace foretrace
