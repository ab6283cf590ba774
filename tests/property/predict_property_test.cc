// race and deadlock, decided by certify, against all correct reorderings.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"
#include "certify/certifier.h"
#include "certify/checker.h"
#include "formats/trace_io.h"
#include "property/nested_sections.h"
#include "property/random_trace.h"
#include "property/reference_order.h"
#include "property/reference_reorderings.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kEnough = 1'000'000'000;

std::vector<Candidate> decided(std::string_view analysis, const Trace& trace,
                               const std::vector<std::string>& flags = {}) {
  std::vector<Candidate> candidates = run_analysis(analysis, trace, 0, flags);
  const auto decisions = decide(trace, candidates, {kEnough, 1, {}});
  for (const auto& [name, counts] : decisions) RC_ASSERT(counts.undecided == 0U);
  return candidates;
}

std::vector<uint64_t> indexes_of(const Candidate& candidate) {
  std::vector<uint64_t> indexes;
  for (const CandidateEvent& event : candidate.events) indexes.push_back(event.index);
  return indexes;
}

RC_GTEST_PROP(Race, IsExactlyTheRacesOfAllReorderings, ()) {
  const RandomTrace random = *small_trace();
  const ScheduleChecker checker(random.trace);
  std::set<std::pair<uint64_t, uint64_t>> found;
  for (const Candidate& candidate : decided("race", random.trace)) {
    RC_ASSERT(candidate.strength != Strength::predicted);
    RC_ASSERT(static_cast<bool>(checker.check_race(*candidate.witness)));
    found.emplace(candidate.events[0].index, candidate.events[1].index);
  }
  RC_ASSERT(found == explore_reorderings(random.trace).races);
}

// The trace with one of a few sites for each event; it must have some.
Trace with_few_sites(const std::string& tiddle) {
  std::string text;
  for (const std::string_view line : split(tiddle, '\n')) {
    if (line.empty()) continue;
    text += fmt::format("{} @ {}\n", line, *rc::gen::inRange(1, 4));
  }
  RC_PRE(!text.empty());
  return read_trace(text, "tiddle").value();
}

// Without all-pairs: each two sites that race on a location once, and of each
// location the pair whose second access comes earliest.
RC_GTEST_PROP(Race, OfAlikePairsIsTheEarliest, ()) {
  const Trace trace = with_few_sites((*small_trace()).tiddle);
  using Alike = std::tuple<uint32_t, std::multiset<std::pair<SiteId, Op>>>;
  const auto kind_of = [&](const Candidate& candidate) {
    Alike kind = {*candidate.variable, {}};
    for (const uint64_t index : indexes_of(candidate)) {
      std::get<1>(kind).emplace(trace.events[index].site, trace.events[index].op());
    }
    return kind;
  };
  std::map<Alike, uint64_t> earliest;
  for (const Candidate& race : decided("race", trace, {"all-pairs"})) {
    const uint64_t second = race.events[1].index;
    const auto [entry, fresh] = earliest.try_emplace(kind_of(race), second);
    if (!fresh) entry->second = std::min(entry->second, second);
  }
  std::multimap<Alike, uint64_t> found;
  for (const Candidate& race : decided("race", trace)) {
    found.emplace(kind_of(race), race.events[1].index);
  }
  RC_CLASSIFY(!found.empty(), "races");
  RC_ASSERT(found == (std::multimap<Alike, uint64_t>(earliest.begin(), earliest.end())));
}

// A deadlock is reported once for acquires by the same threads of the same locks
// with the same locks held.
RC_GTEST_PROP(Deadlock, IsExactlyTheDeadlocksOfAllReorderings, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  const ReferenceHeld held = reference_held(trace);
  const auto kind_of = [&](const auto& indexes) {
    std::set<std::tuple<ThreadId, LockId, Op, std::multiset<LockId>, std::multiset<LockId>>> kind;
    for (const uint64_t index : indexes) {
      const Event& event = trace.events[index];
      std::multiset<LockId> exclusive(held.exclusive[index].begin(), held.exclusive[index].end());
      std::multiset<LockId> shared(held.shared[index].begin(), held.shared[index].end());
      (event.op() == Op::acq ? exclusive : shared).erase(event.object);
      kind.emplace(event.thread, event.object, event.op(), exclusive, shared);
    }
    return kind;
  };
  std::set<decltype(kind_of(std::vector<uint64_t>()))> expected;
  for (const std::set<uint64_t>& acquires : explore_reorderings(trace).deadlocks) {
    expected.insert(kind_of(acquires));
  }
  RC_CLASSIFY(!expected.empty(), "deadlocks");
  const ScheduleChecker checker(trace);
  std::set<decltype(kind_of(std::vector<uint64_t>()))> found;
  for (const Candidate& candidate : decided("deadlock", trace)) {
    const std::vector<uint64_t> acquires = indexes_of(candidate);
    RC_ASSERT(candidate.strength == Strength::certified);
    RC_ASSERT(static_cast<bool>(checker.check_deadlock(*candidate.witness, acquires)));
    found.insert(kind_of(acquires));
  }
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace foretrace::testing
