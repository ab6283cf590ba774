// certify against the exploration of all correct reorderings.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/certifier.h"
#include "certify/certify.h"
#include "certify/checker.h"
#include "findings/schedule.h"
#include "property/nested_sections.h"
#include "property/reference_order.h"
#include "property/reference_reorderings.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kEnough = 1'000'000'000;

// Windows of all sizes, though the traces are small; 1000 is the whole trace.
Certificate certify_near(const Model& model, const Goal& goal) {
  return certify(model, goal, kEnough, *rc::gen::element<uint64_t>(1, 2, 3, 5, 9, 1000));
}

RC_GTEST_PROP(Certify, FindsExactlyTheRacesOfAllReorderings, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  const Reachable reachable = explore_reorderings(trace);
  RC_CLASSIFY(!reachable.races.empty(), "racy");
  const Model model(trace);
  const ScheduleChecker checker(trace);
  bool searched = false;
  for (uint64_t a = 0; a < trace.events.size(); ++a) {
    for (uint64_t b = a + 1; b < trace.events.size(); ++b) {
      if (!clash(trace.events[a], trace.events[b])) continue;
      const Certificate certificate = certify_near(model, {.next = {a, b}});
      RC_LOG() << "pair " << a << " " << b << "\n";
      RC_ASSERT(certificate.verdict != Verdict::undecided);
      const bool feasible = certificate.verdict == Verdict::feasible;
      searched |= feasible && certificate.steps > 0;
      RC_ASSERT(feasible == reachable.races.contains({a, b}));
      if (!feasible) continue;
      Schedule schedule = certificate.schedule;
      schedule.then.push_back(a);
      schedule.then.push_back(b);
      const Result<void> checked = checker.check_race(schedule);
      if (!checked) RC_FAIL(checked.error().message);
    }
  }
  RC_CLASSIFY(searched, "not in the order of the trace");
}

// The first events of each thread, as many as the cut says, in the order of the
// trace: gone through one by one.
std::vector<uint64_t> walked(const Trace& trace, const Schedule& schedule) {
  std::vector<uint64_t> events;
  for (uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op() != Op::skip && i < schedule.until_of(event.thread)) events.push_back(i);
  }
  events.insert(events.end(), schedule.then.begin(), schedule.then.end());
  return events;
}

// Mostly what is right: next events of threads, but any thread's, whatever they need.
Schedule any_schedule(const Trace& trace) {
  Schedule schedule;
  const size_t threads = trace.symbols->names(Space::thread).size();
  const auto size = static_cast<uint64_t>(trace.events.size());
  const uint64_t about = *rc::gen::inRange<uint64_t>(0, size + 1);
  for (size_t t = 0; t < threads; ++t) {
    const bool strays = *rc::gen::weightedElement<bool>({{3, false}, {1, true}});
    schedule.until.push_back(strays ? *rc::gen::inRange<uint64_t>(0, size + 1) : about);
  }
  std::vector<uint64_t> rest;
  for (uint64_t i = 0; i < size; ++i) {
    const Event& event = trace.events[i];
    if (event.op() != Op::skip && i >= schedule.until_of(event.thread)) rest.push_back(i);
  }
  const auto count = *rc::gen::inRange<size_t>(0, rest.size() + 1);
  for (size_t k = 0; k < count && !rest.empty(); ++k) {
    const auto thread = *rc::gen::inRange<ThreadId>(0, static_cast<ThreadId>(threads));
    const auto next = std::find_if(rest.begin(), rest.end(),
                                   [&](uint64_t i) { return trace.events[i].thread == thread; });
    if (next == rest.end()) continue;
    schedule.then.push_back(*next);
    rest.erase(next);
  }
  return schedule;
}

RC_GTEST_PROP(Certify, AScheduleInShortIsCheckedLikeTheListOfItsEvents, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  const Model model(trace);
  const ScheduleChecker checker(trace);
  const Schedule schedule = any_schedule(trace);
  const std::vector<uint64_t> list = walked(trace, schedule);
  RC_ASSERT(written_out(model, schedule) == list);
  const bool in_short = checker.check(schedule).has_value();
  RC_CLASSIFY(in_short, "correct");
  RC_ASSERT(in_short == checker.check(list).has_value());
}

RC_GTEST_PROP(Certify, LongSchedulesAreSaidInShort, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  const std::vector<Candidate> proposed = run_analysis("race", trace);
  const auto findings = [&](uint64_t longest) {
    std::vector<Candidate> decided = proposed;
    decide(trace, decided, {.budget = kEnough, .workers = 1, .longest_schedule = longest});
    return make_findings(std::move(decided), *trace.symbols);
  };
  const std::vector<Finding> listed = findings(1'000'000);
  const std::vector<Finding> in_short = findings(0);
  RC_ASSERT(listed.size() == in_short.size());
  for (size_t i = 0; i < listed.size(); ++i) {
    if (listed[i].strength != Strength::certified) continue;
    RC_CLASSIFY(true, "certified");
    RC_ASSERT(!in_short[i].witness);
    RC_ASSERT(has_schedule(in_short[i]));
    RC_ASSERT(schedule_of(in_short[i], trace) == *listed[i].witness);
  }
}

RC_GTEST_PROP(Certify, FindsTheDeadlocksOfAllReorderings, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  const Reachable reachable = explore_reorderings(trace);
  RC_CLASSIFY(!reachable.deadlocks.empty(), "deadlocks");
  const Model model(trace);
  const ScheduleChecker checker(trace);
  for (const std::set<uint64_t>& acquires : reachable.deadlocks) {
    const Goal goal = {.next = {acquires.begin(), acquires.end()}};
    const Certificate certificate = certify_near(model, goal);
    RC_ASSERT(certificate.verdict == Verdict::feasible);
    const Result<void> checked = checker.check_deadlock(certificate.schedule, goal.next);
    if (!checked) RC_FAIL(checked.error().message);
  }
}

// Two pairs that, if both hold, put an event of one thread between two of another.
RC_GTEST_PROP(Certify, OrdersEventsIfSomeReorderingDoes, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  std::vector<uint64_t> events;
  for (uint64_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].op() != Op::skip) events.push_back(i);
  }
  RC_PRE(events.size() >= 3U);
  const Model model(trace);
  const ScheduleChecker checker(trace);
  bool searched = false;
  for (int tries = 0; tries < 8; ++tries) {
    const auto any = rc::gen::elementOf(events);
    const std::vector<EventPair> pairs = {{*any, *any}, {*any, *any}};
    const bool trivial = pairs[0].first == pairs[0].second || pairs[1].first == pairs[1].second;
    if (trivial) continue;
    RC_LOG() << "pairs " << pairs[0].first << " " << pairs[0].second << ", " << pairs[1].first
             << " " << pairs[1].second << "\n";
    const Certificate certificate = certify_near(model, {.next = {}, .ordered = pairs});
    RC_ASSERT(certificate.verdict != Verdict::undecided);
    const bool feasible = certificate.verdict == Verdict::feasible;
    RC_ASSERT(feasible == some_reordering_has(trace, pairs));
    if (!feasible) continue;
    searched |= certificate.steps > 0;
    const Result<void> checked = checker.check_ordered(certificate.schedule, pairs);
    if (!checked) RC_FAIL(checked.error().message);
  }
  RC_CLASSIFY(searched, "not in the order of the trace");
}

// What the reads of the trace could see: every write of their location, and the
// initial value; but not what they did see.
std::vector<Goal::OtherRead> possible_other_reads(const Trace& trace) {
  std::vector<Goal::OtherRead> possible;
  for (uint64_t read = 0; read < trace.events.size(); ++read) {
    if (!reads(trace.events[read].op())) continue;
    std::optional<uint64_t> seen;
    std::vector<std::optional<uint64_t>> others = {std::nullopt};
    for (uint64_t i = 0; i < trace.events.size(); ++i) {
      if (i == read || !writes(trace.events[i].op())) continue;
      if (trace.events[i].object != trace.events[read].object) continue;
      others.emplace_back(i);
      if (i < read) seen = i;
    }
    for (const std::optional<uint64_t>& other : others) {
      if (other != seen) possible.push_back({read, other});
    }
  }
  return possible;
}

RC_GTEST_PROP(Certify, FindsExactlyWhatReadsCanSeeInAllReorderings, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  const Reachable reachable = explore_reorderings(trace);
  RC_CLASSIFY(!reachable.other_reads.empty(), "nondeterministic");
  const Model model(trace);
  const ScheduleChecker checker(trace);
  bool searched = false;
  for (const Goal::OtherRead& goal : possible_other_reads(trace)) {
    RC_LOG() << "read " << goal.read << " of "
             << (goal.challenger ? std::to_string(*goal.challenger) : "the initial value") << "\n";
    const Certificate certificate = certify_near(model, {.next = {}, .other_read = goal});
    RC_ASSERT(certificate.verdict != Verdict::undecided);
    const bool feasible = certificate.verdict == Verdict::feasible;
    searched |= feasible && certificate.steps > 0;
    RC_ASSERT(feasible == reachable.other_reads.contains({goal.read, goal.challenger}));
    if (!feasible) continue;
    const Result<void> checked = checker.check_other_read(certificate.schedule, goal.challenger);
    if (!checked) RC_FAIL(checked.error().message);
    RC_ASSERT(certificate.schedule.then.back() == goal.read);
  }
  RC_CLASSIFY(searched, "not in the order of the trace");
}

}  // namespace
}  // namespace foretrace::testing
