#include "analyses/mb/race_reports.h"

#include "analyses/race_finder.h"
#include "base/text.h"

namespace foretrace::mb {

RaceReports::Threads RaceReports::threads_of(const Race& race) const {
  const auto name = [&](const RaceSide& side) {
    return printable(context_.symbols.thread(side.access.epoch.thread()));
  };
  return {name(race.first), name(race.second)};
}

Candidate RaceReports::candidate(std::string_view analysis, const Race& race,
                                 std::string reason) const {
  return race_candidate(analysis, context_.symbols, locksets_, race.location, race.first,
                        race.second, race.observed, std::move(reason));
}

void RaceReports::must_before(const Race& race) {
  if (++pairs_ > max_pairs_) return;
  const Threads threads = threads_of(race);
  std::string reason =
      race.heard ? fmt::format(
                       "Must-before does not order them: what thread {} did before has to come "
                       "after older events of thread {}, but not after the first access.",
                       threads.second, threads.first)
                 : fmt::format(
                       "Must-before does not order them: nothing that thread {} did before has to "
                       "come after anything of thread {}.",
                       threads.second, threads.first);
  reason += " Critical sections between them, if any, could have run in another order.";
  context_.propose(candidate("mb", race, std::move(reason)));
}

void RaceReports::happens_before(const Race& race) {
  Candidate found = candidate("hb", race,
                              unordered_by_hb(context_.symbols, race.first.access.epoch.thread(),
                                              race.second.access.epoch.thread(), race.heard));
  if (race.relaxed) found.detail["relaxed"] = true;
  context_.propose(std::move(found));
}

std::vector<std::string> RaceReports::notes(uint64_t missed) const {
  return pair_limit_notes("mb", pairs_, max_pairs_, missed);
}

}  // namespace foretrace::mb
