#include "analyses/race.h"

#include "analyses/race_finder.h"
#include "base/text.h"

namespace foretrace {
namespace {

std::string side_text(const Symbols& symbols, const RaceSide& side) {
  std::string where = symbols.site_text(side.access.site);
  if (where.empty()) where = fmt::format("event {}", side.access.index);
  const bool updates = reads(side.op) && writes(side.op);
  return fmt::format("thread {} {}{} it at {}",
                     printable(symbols.thread(side.access.epoch.thread())),
                     is_atomic(side.op) ? "atomically " : "",
                     updates           ? "updates"
                     : writes(side.op) ? "writes"
                                       : "reads",
                     printable(where, 200));
}

CandidateEvent side_event(const LocksetTable& locksets, LocationId location, const RaceSide& side) {
  return {side.access.index,
          make_event(side.access.epoch.thread(), side.op, location, side.access.site),
          locksets.locks(side.access.held)};
}

}  // namespace

std::string unordered_by_hb(const Symbols& symbols, ThreadId first, ThreadId second, bool heard) {
  const std::string from = printable(symbols.thread(first));
  const std::string to = printable(symbols.thread(second));
  if (!heard) {
    return fmt::format(
        "Nothing orders them: no release, fork, join, notify, volatile write or barrier of thread "
        "{} has reached thread {}.",
        from, to);
  }
  return fmt::format(
      "Nothing orders them: what thread {} last learnt of thread {}, through locks or otherwise, "
      "is older than the first access.",
      to, from);
}

Candidate race_candidate(std::string_view analysis, const Symbols& symbols,
                         const LocksetTable& locksets, LocationId location, const RaceSide& first,
                         const RaceSide& second, bool observed, std::string reason) {
  Candidate candidate;
  candidate.analysis = analysis;
  candidate.kind = "data-race";
  candidate.variable = location;
  candidate.message = fmt::format("data race on {}: {}, {}", printable(symbols.location(location)),
                                  side_text(symbols, first), side_text(symbols, second));
  candidate.reason = std::move(reason);
  candidate.events = {side_event(locksets, location, first),
                      side_event(locksets, location, second)};
  if (observed) {
    candidate.strength = Strength::observed;
    candidate.detail["prefix"] = first.access.index;
  }
  return candidate;
}

std::vector<std::string> pair_limit_notes(std::string_view analysis, uint64_t pairs,
                                          uint64_t max_pairs, uint64_t missed) {
  std::vector<std::string> notes;
  if (pairs > max_pairs) {
    notes.push_back(fmt::format("{}: {} race; only the first {} are listed (--max-pairs)", analysis,
                                counted(pairs, "pair"), with_commas(max_pairs)));
  }
  if (missed > 0) {
    notes.push_back(
        fmt::format("{}: up to {} more were not looked at: not all accesses were kept "
                    "(--max-accesses)",
                    analysis, counted(missed, "pair")));
  }
  return notes;
}

}  // namespace foretrace
