// hb against Definitions 2 and 4 of paper 000, written out.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "order/happens_before.h"
#include "property/random_trace.h"
#include "property/reference_order.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

using Pair = std::pair<uint64_t, uint64_t>;

// Definition 4: clashing events that happens-before does not order.
std::set<Pair> reference_races(const Trace& trace) {
  const Relation before = reference_happens_before(trace);
  std::set<Pair> races;
  for (size_t b = 0; b < trace.events.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (clash(trace.events[a], trace.events[b]) && !before[a][b]) races.emplace(a, b);
    }
  }
  return races;
}

// For each racy location the pair with the earliest second access and, of those,
// the latest first access.
std::set<Pair> first_of_each_location(const Trace& trace, const std::set<Pair>& races) {
  std::map<LocationId, Pair> first;
  for (const Pair& race : races) {
    const auto [entry, fresh] = first.try_emplace(trace.events[race.first].object, race);
    Pair& best = entry->second;
    if (race.second < best.second || (race.second == best.second && race.first > best.first)) {
      best = race;
    }
  }
  std::set<Pair> pairs;
  for (const auto& [location, pair] : first) pairs.insert(pair);
  return pairs;
}

std::set<Pair> pairs_of(const std::vector<Candidate>& candidates) {
  std::set<Pair> pairs;
  for (const Candidate& candidate : candidates) {
    RC_ASSERT(candidate.kind == "data-race");
    RC_ASSERT(candidate.events.size() == 2U);
    const bool fresh = pairs.emplace(candidate.events[0].index, candidate.events[1].index).second;
    RC_ASSERT(fresh);
  }
  return pairs;
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
  return rc::gen::oneOf(random_trace(plain), random_trace(reentrant), random_trace(wide),
                        random_trace());
}

RC_GTEST_PROP(Hb, ReportsTheFirstPairOfEachRacyLocation, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> expected =
      first_of_each_location(random.trace, reference_races(random.trace));
  RC_CLASSIFY(!expected.empty(), "racy");
  RC_ASSERT(pairs_of(run_analysis("hb", random.trace)) == expected);
  RC_ASSERT(pairs_of(run_analysis("hb", random.trace, 1)) == expected);
}

RC_GTEST_PROP(Hb, AllPairsAreAllPairs, ()) {
  const RandomTrace random = *any_trace();
  RC_ASSERT(pairs_of(run_analysis("hb", random.trace, 0, {"all-pairs"})) ==
            reference_races(random.trace));
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
