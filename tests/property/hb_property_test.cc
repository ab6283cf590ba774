// hb against Definitions 2 and 4 of paper 000, written out.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "order/happens_before.h"
#include "property/race_pairs.h"
#include "property/random_trace.h"
#include "property/reference_order.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

// Definition 4: clashing events that happens-before does not order.
std::set<Pair> reference_races(const Trace& trace) {
  return unordered_clashes(trace, reference_happens_before(trace));
}

// The trace shows the race if its first `a` events leave `a` and `b` both next.
bool trace_shows(const Trace& trace, const Pair& race) {
  const Event& second = trace.events[race.second];
  if (second.resumes != 0) return false;
  for (size_t i = race.first; i < race.second; ++i) {
    const Event& event = trace.events[i];
    if (event.op() == Op::skip) continue;
    if (event.thread == second.thread) return false;
    if (event.op() == Op::fork && event.object == second.thread) return false;
  }
  return true;
}

// With and without synchronisation that orders nearly everything.
rc::Gen<RandomTrace> any_trace() {
  RandomTraceOptions plain;
  plain.threads = 3;
  plain.locks_for_reading = plain.forks = plain.waits = plain.volatiles = plain.barriers = false;
  plain.units = plain.objects = false;
  RandomTraceOptions reentrant;
  reentrant.reentrant = true;
  RandomTraceOptions wide;
  wide.threads = 5;
  wide.locations = 2;
  RandomTraceOptions mixed;
  mixed.mixed = true;
  mixed.waits = mixed.barriers = mixed.units = mixed.objects = false;
  return rc::gen::oneOf(random_trace(plain), random_trace(reentrant), random_trace(wide),
                        random_trace(mixed), random_trace());
}

RC_GTEST_PROP(Hb, ReportsTheFirstPairOfEachRacyLocation, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> expected =
      first_of_each_location(random.trace, reference_races(random.trace));
  RC_CLASSIFY(!expected.empty(), "racy");
  RC_ASSERT(pairs_of(run_analysis("hb", random.trace), "hb") == expected);
  RC_ASSERT(pairs_of(run_analysis("hb", random.trace, 1), "hb") == expected);
}

RC_GTEST_PROP(Hb, AllPairsAreAllPairs, ()) {
  const RandomTrace random = *any_trace();
  const std::vector<Candidate> candidates = run_analysis("hb", random.trace, 0, {"all-pairs"});
  const std::set<Pair> expected = reference_races(random.trace);
  RC_ASSERT(pairs_of(candidates, "hb") == expected);
  RC_ASSERT(candidates.size() == expected.size());
}

RC_GTEST_PROP(Hb, ObservedMeansThatTheTraceShowsIt, ()) {
  const RandomTrace random = *any_trace();
  for (const Candidate& candidate : run_analysis("hb", random.trace, 0, {"all-pairs"})) {
    const Pair race(candidate.events[0].index, candidate.events[1].index);
    const bool observed = candidate.strength == Strength::observed;
    RC_ASSERT(observed == trace_shows(random.trace, race));
    if (observed) RC_ASSERT(candidate.detail["prefix"] == race.first);
  }
}

// The order itself: what clocks say of every event and every thread's next one.
RC_GTEST_PROP(HappensBefore, ClocksAreTheDefinition, ()) {
  const RandomTrace random = *any_trace();
  const Relation before = reference_happens_before(random.trace);
  HappensBefore order;
  std::vector<Epoch> epochs;
  for (size_t b = 0; b < random.trace.events.size(); ++b) {
    const Event& event = random.trace.events[b];
    if (event.op() == Op::skip) {
      epochs.emplace_back();
      continue;
    }
    if (event.resumes != 0) order.resume(event.thread);
    // What an acquire, join or volatile read learns, it knows itself.
    const bool learns = event.op() == Op::acq || event.op() == Op::racq || event.op() == Op::join ||
                        event.op() == Op::vrd;
    if (learns) order.advance(event);
    for (size_t a = 0; a < b; ++a) {
      if (random.trace.events[a].op() == Op::skip || event.op() == Op::vrmw) continue;
      RC_ASSERT(order.ordered(epochs[a], event.thread) == before[a][b]);
    }
    epochs.push_back(order.epoch(event.thread));
    if (!learns) order.advance(event);
  }
}

RC_GTEST_PROP(Hb, NamesTheLocksThatAreHeld, ()) {
  const RandomTrace random = *any_trace();
  const ReferenceHeld held = reference_held(random.trace);
  for (const Candidate& candidate : run_analysis("hb", random.trace)) {
    for (const CandidateEvent& event : candidate.events) {
      std::multiset<std::pair<LockId, bool>> expected;
      for (const LockId lock : held.exclusive[event.index]) expected.emplace(lock, false);
      for (const LockId lock : held.shared[event.index]) expected.emplace(lock, true);
      std::multiset<std::pair<LockId, bool>> found;
      for (const HeldLock& lock : event.held) found.emplace(lock.lock, lock.shared);
      RC_ASSERT(found == expected);
    }
  }
}

}  // namespace
}  // namespace foretrace::testing
