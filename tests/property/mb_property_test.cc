// mb against Definition 8 of paper 000, written out.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyses/mb/embracer.h"
#include "analyses/mb/must_before.h"
#include "property/race_pairs.h"
#include "property/random_trace.h"
#include "property/reference_mb.h"
#include "property/reference_order.h"
#include "property/run_analysis.h"
#include "property/tangled_trace.h"

namespace foretrace::testing {
namespace {

std::set<Pair> without(std::set<Pair> pairs, const std::set<Pair>& others) {
  std::erase_if(pairs, [&](const Pair& pair) { return others.contains(pair); });
  return pairs;
}

rc::Gen<RandomTrace> any_trace() {
  RandomTraceOptions plain;
  plain.locks_for_reading = plain.forks = plain.waits = plain.volatiles = plain.barriers = false;
  plain.units = plain.objects = false;
  RandomTraceOptions waits = plain;
  waits.length = 3;
  waits.waits = true;
  waits.locations = 12;
  waits.locks = 4;
  RandomTraceOptions reentrant;
  reentrant.reentrant = true;
  RandomTraceOptions wide;
  wide.threads = 5;
  wide.locations = 2;
  return rc::gen::oneOf(tangled_trace(), tangled_trace(), tangled_trace(), random_trace(plain),
                        random_trace(waits), random_trace(reentrant), random_trace(wide),
                        random_trace());
}

// An Embracer that settles and forgets at every event, or as the test wants it.
class Run {
 public:
  Run(const Trace& trace, const mb::MustBeforeOptions& options, bool all_pairs = false)
      : embracer_({*trace.symbols, settings_, [&](Candidate c) { candidates_.push_back(c); }},
                  options, all_pairs) {
    embracer_.process(trace.batch());
    embracer_.finish();
  }

  const std::vector<Candidate>& candidates() const { return candidates_; }
  const mb::Embracer& embracer() const { return embracer_; }

 private:
  const AnalysisSettings settings_;
  std::vector<Candidate> candidates_;
  mb::Embracer embracer_;
};

constexpr mb::MustBeforeOptions kEager = {
    .window = UINT64_MAX, .settle_every = 1, .collect_every = 1};

// The order itself: what the adjusted clocks say of all pairs of events.
RC_GTEST_PROP(MustBefore, AdjustedClocksAreTheDefinition, ()) {
  const RandomTrace random = *any_trace();
  const std::vector<Event>& events = random.trace.events;
  const ReferenceMustBefore reference(random.trace);
  // Settles eagerly, but keeps all stretches, since this test points to them.
  mb::MustBefore order({.window = UINT64_MAX, .settle_every = 1, .collect_every = UINT64_MAX});
  std::vector<const mb::Stretch*> before(events.size());
  std::vector<const mb::Stretch*> at(events.size());
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].op() == Op::skip) continue;
    order.settle(i, [](mb::Stretch&) {});
    if (events[i].resumes != 0) order.resume(i, events[i]);
    before[i] = &order.stretch(events[i].thread);
    if (is_access(events[i].op())) {
      order.access(
          i, events[i], kEmptyLockset, [](Epoch) { return true; }, [](const auto&, const auto&) {});
    } else {
      order.advance(i, events[i]);
    }
    at[i] = &order.stretch(events[i].thread);
  }
  for (size_t b = 0; b < events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (events[a].op() == Op::skip || events[b].op() == Op::skip) continue;
      const Epoch past(events[a].thread, mb::clock_of(a));
      RC_ASSERT(mb::MustBefore::has(*at[b], past) == reference.before(a, b));
      if (!is_access(events[b].op())) continue;
      RC_ASSERT(mb::MustBefore::has(*before[b], past) == reference.before_entry(a, b));
    }
  }
}

RC_GTEST_PROP(Mb, ReportsTheFirstPairOfEachRacyLocation, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> races = ReferenceMustBefore(random.trace).races();
  const std::set<Pair> expected = first_of_each_location(random.trace, races);
  RC_CLASSIFY(!expected.empty(), "racy");
  RC_ASSERT(pairs_of(run_analysis("mb", random.trace), "mb") == expected);
  RC_ASSERT(pairs_of(run_analysis("mb", random.trace, 1), "mb") == expected);
  RC_ASSERT(pairs_of(Run(random.trace, kEager).candidates(), "mb") == expected);
}

RC_GTEST_PROP(Mb, AllPairsAreAllPairs, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> expected = ReferenceMustBefore(random.trace).races();
  RC_ASSERT(pairs_of(run_analysis("mb", random.trace, 0, {"all-pairs"}), "mb") == expected);
  RC_ASSERT(pairs_of(Run(random.trace, kEager, true).candidates(), "mb") == expected);
}

// What only happens-before sees is proposed as hb proposes it, word for word.
RC_GTEST_PROP(Mb, TheRestOfHbIsReportedAsHb, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> races = ReferenceMustBefore(random.trace).races();
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{}, std::vector<std::string>{"all-pairs"}}) {
    const std::vector<Candidate> by_hb = run_analysis("hb", random.trace, 0, flags);
    const std::vector<Candidate> by_mb = run_analysis("mb", random.trace, 0, flags);
    const std::set<Pair> expected = without(pairs_of(by_hb, "hb"), races);
    RC_CLASSIFY(!expected.empty(), "hb only");
    RC_ASSERT(pairs_of(by_mb, "hb") == expected);
    for (const Candidate& candidate : by_mb) {
      if (candidate.analysis != "hb") continue;
      const auto same = std::find_if(by_hb.begin(), by_hb.end(), [&](const Candidate& other) {
        return pair_of(other) == pair_of(candidate);
      });
      RC_ASSERT(candidate.strength == same->strength);
      RC_ASSERT(candidate.message == same->message);
      RC_ASSERT(candidate.reason == same->reason);
      RC_ASSERT(candidate.witness == same->witness);
      RC_ASSERT(candidate.detail == same->detail);
      RC_ASSERT(candidate.events[0].held == same->events[0].held);
      RC_ASSERT(candidate.events[1].held == same->events[1].held);
    }
  }
}

// Every location that hb or must-before finds racy is reported.
RC_GTEST_PROP(Mb, ReportsEveryLocationThatHbReports, ()) {
  const RandomTrace random = *any_trace();
  std::set<LocationId> by_mb;
  for (const Candidate& candidate : run_analysis("mb", random.trace)) {
    by_mb.insert(*candidate.variable);
  }
  for (const Candidate& candidate : run_analysis("hb", random.trace)) {
    RC_ASSERT(by_mb.contains(*candidate.variable));
  }
}

// The trace shows the race if its first `a` events leave `a` and `b` both next.
RC_GTEST_PROP(Mb, ObservedMeansThatTheTraceShowsIt, ()) {
  const RandomTrace random = *any_trace();
  for (const Candidate& candidate : run_analysis("mb", random.trace, 0, {"all-pairs"})) {
    const auto [first, second] = pair_of(candidate);
    bool shown = random.trace.events[second].resumes == 0;
    for (size_t i = first; i < second; ++i) {
      const Event& event = random.trace.events[i];
      const ThreadId thread = random.trace.events[second].thread;
      if (event.op() == Op::skip) continue;
      shown &= event.thread != thread && (event.op() != Op::fork || event.object != thread);
    }
    RC_ASSERT((candidate.strength == Strength::observed) == shown);
  }
}

// A small window may lose races, but says so, and invents none.
RC_GTEST_PROP(Mb, TheWindowOnlyAddsOrder, ()) {
  const RandomTrace random = *any_trace();
  const uint64_t window = *rc::gen::inRange<uint64_t>(0, 60);
  const std::set<Pair> expected = ReferenceMustBefore(random.trace).races();
  const Run run(random.trace, {.window = window, .settle_every = 1, .collect_every = 1}, true);
  const std::set<Pair> found = pairs_of(run.candidates(), "mb");
  RC_ASSERT(without(found, expected).empty());
  const mb::MustBeforeStatistics statistics = run.embracer().statistics();
  const bool exact = statistics.forced == 0 && statistics.forgotten == 0;
  RC_CLASSIFY(exact, "exact");
  if (exact) RC_ASSERT(found == expected);
  if (!exact) RC_ASSERT(!run.embracer().notes().empty());
  // What hb reports on its own is reported all the same.
  for (const Candidate& candidate : run_analysis("hb", random.trace, 0, {"all-pairs"})) {
    const auto same = [&](const Candidate& other) { return pair_of(other) == pair_of(candidate); };
    RC_ASSERT(std::any_of(run.candidates().begin(), run.candidates().end(), same));
  }
}

}  // namespace
}  // namespace foretrace::testing
