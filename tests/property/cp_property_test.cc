// cp against Definitions 5 and 6 of paper 000, written out.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyses/cp/causal_order.h"
#include "analyses/cp/clashing_sections.h"
#include "analyses/cp/edge_search.h"
#include "property/race_pairs.h"
#include "property/random_trace.h"
#include "property/reference_cp.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

// Definition 6.
std::set<Pair> reference_races(const Trace& trace) {
  return unordered_clashes(trace, reference_causally_precedes(trace));
}

RandomTraceOptions locks_only() {
  RandomTraceOptions options;
  options.locks_for_reading = options.forks = options.waits = options.volatiles = false;
  options.barriers = options.units = options.objects = false;
  options.length = 6;  // many steps of the generator come to nothing
  return options;
}

// Locks alone, with more and fewer clashes; reader locks; waits; everything.
rc::Gen<RandomTrace> any_trace() {
  RandomTraceOptions nested = locks_only();
  nested.threads = 6;
  nested.locks = 8;
  nested.nesting = 4;
  nested.locations = 12;
  nested.length = 10;
  RandomTraceOptions sparse = locks_only();
  sparse.threads = 5;
  sparse.locations = 12;
  RandomTraceOptions readers = locks_only();
  readers.locks_for_reading = true;
  readers.locks = 2;
  readers.locations = 6;
  RandomTraceOptions waits = locks_only();
  waits.waits = true;
  waits.locks = 2;
  waits.locations = 6;
  RandomTraceOptions all;
  all.reentrant = true;
  all.locations = 6;
  RandomTraceOptions wide;
  wide.threads = 6;
  wide.locks = 4;
  return rc::gen::oneOf(random_trace(nested), random_trace(sparse), random_trace(readers),
                        random_trace(waits), random_trace(all), random_trace(wide));
}

RC_GTEST_PROP(Cp, ReportsTheFirstPairOfEachRacyLocation, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> expected =
      first_of_each_location(random.trace, reference_races(random.trace));
  RC_CLASSIFY(!expected.empty(), "racy");
  RC_ASSERT(pairs_of(run_analysis("cp", random.trace), "cp") == expected);
  RC_ASSERT(pairs_of(run_analysis("cp", random.trace, 1), "cp") == expected);
}

RC_GTEST_PROP(Cp, AllPairsAreAllPairs, ()) {
  const RandomTrace random = *any_trace();
  const std::set<Pair> expected = reference_races(random.trace);
  const std::vector<Candidate> candidates = run_analysis("cp", random.trace, 0, {"all-pairs"});
  RC_ASSERT(pairs_of(candidates, "cp") == expected);
  RC_ASSERT(candidates.size() == expected.size());

  // Every HB race is a CP race, and the others are marked.
  const std::set<Pair> hb = unordered_clashes(random.trace, reference_happens_before(random.trace));
  RC_ASSERT(std::includes(expected.begin(), expected.end(), hb.begin(), hb.end()));
  RC_CLASSIFY(expected.size() > hb.size(), "more than hb");
  for (const Candidate& candidate : candidates) {
    const Pair race(candidate.events[0].index, candidate.events[1].index);
    RC_ASSERT(candidate.detail["hb"] == hb.contains(race));
  }
}

// The order itself: what clocks say of every event and every thread's next one.
RC_GTEST_PROP(CausalOrder, ClocksAreTheDefinition, ()) {
  const RandomTrace random = *any_trace();
  const std::vector<Event>& events = random.trace.events;
  const Relation before = reference_causally_precedes(random.trace);
  cp::ClashingSections clashes;
  clashes.survey(events);
  cp::BaseEdges edges = clashes.connect(events);
  // One that remembers little has to go over the trace more often.
  const auto remembered = *rc::gen::element<size_t>(1, 2, 3, cp::kRememberedSections);
  size_t passes = 1;
  while (cp::search_edges(edges, events, remembered) == cp::SearchResult::incomplete) {
    ++passes;
  }
  RC_TAG(passes);
  cp::CausalOrder order(edges);
  std::vector<Epoch> epochs;
  for (size_t b = 0; b < events.size(); ++b) {
    const Event& event = events[b];
    if (event.op() == Op::skip) {
      epochs.emplace_back();
      continue;
    }
    if (event.resumes != 0) order.resume(event);
    // What an acquire, join or volatile read learns, it knows itself.
    const bool learns = event.op() == Op::acq || event.op() == Op::racq || event.op() == Op::join ||
                        event.op() == Op::vrd;
    if (learns) order.advance(event);
    for (size_t a = 0; a < b; ++a) {
      if (events[a].op() == Op::skip || event.op() == Op::vrmw) continue;
      RC_ASSERT(order.ordered(epochs[a], event.thread) == before[a][b]);
    }
    epochs.push_back(order.happens_before().epoch(event.thread));
    if (!learns) order.advance(event);
  }
}

// Chapter 11: every CP race is a lockset race.
RC_GTEST_PROP(Cp, NoRaceUnderACommonLock, ()) {
  const RandomTrace random = *any_trace();
  const ReferenceHeld held = reference_held(random.trace);
  for (const Candidate& candidate : run_analysis("cp", random.trace, 0, {"all-pairs"})) {
    const uint64_t a = candidate.events[0].index;
    const uint64_t b = candidate.events[1].index;
    const auto common = [](const std::vector<LockId>& one, const std::vector<LockId>& other) {
      return std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) != one.end();
    };
    RC_ASSERT(!common(held.exclusive[a], held.exclusive[b]));
    RC_ASSERT(!common(held.exclusive[a], held.shared[b]));
    RC_ASSERT(!common(held.shared[a], held.exclusive[b]));
  }
}

}  // namespace
}  // namespace foretrace::testing
