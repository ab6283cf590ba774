// sidetrack against its rules written out, and what certify makes of its errors
// against all correct reorderings.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyses/sidetrack/rules.h"
#include "certify/certifier.h"
#include "certify/checker.h"
#include "property/random_trace.h"
#include "property/reference_reorderings.h"
#include "property/reference_sidetrack.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

using sidetrack::AtomicityError;
using sidetrack::ErrorKind;

constexpr uint64_t kEnough = 1'000'000'000;

rc::Gen<RandomTrace> unit_trace(double length) {
  RandomTraceOptions plain;
  plain.mostly_units = true;
  plain.threads = 3;
  plain.locks = 2;
  plain.length = length;
  plain.locks_for_reading = plain.forks = plain.waits = plain.volatiles = plain.barriers = false;
  plain.objects = false;
  RandomTraceOptions all = plain;
  all.locks_for_reading = all.forks = all.waits = all.volatiles = all.barriers = true;
  all.reentrant = true;
  RandomTraceOptions tight = plain;
  tight.threads = 2;
  tight.locks = 1;
  RandomTraceOptions tight_all = all;
  tight_all.threads = 2;
  tight_all.locks = 1;
  RandomTraceOptions even = all;  // not mostly units
  even.mostly_units = false;
  even.threads = 4;
  return rc::gen::oneOf(random_trace(plain), random_trace(tight), random_trace(all),
                        random_trace(tight_all), random_trace(even));
}

std::vector<AtomicityError> errors_in(const Trace& trace) {
  std::vector<AtomicityError> errors;
  sidetrack::Rules rules([&](const AtomicityError& error) { errors.push_back(error); });
  for (uint64_t i = 0; i < trace.events.size(); ++i) {
    const Event& event = trace.events[i];
    if (event.op() == Op::skip) continue;
    if (event.resumes != 0) rules.resume(i, event);
    if (!is_access(event.op())) rules.step(i, event);
  }
  return errors;
}

ReferenceSideTrack::Error described(const AtomicityError& error) {
  if (error.kind == ErrorKind::after) {
    return {"after", error.lock, error.culprit.index, error.culprit.index};
  }
  return {std::string(name_of(error.kind)), error.lock, error.window.first.index,
          error.window.second.index};
}

RC_GTEST_PROP(SideTrack, FollowsTheRules, ()) {
  const RandomTrace random = *unit_trace(3);
  const ReferenceSideTrack reference(random.trace);
  std::multiset<ReferenceSideTrack::Error> found;
  for (const AtomicityError& error : errors_in(random.trace)) found.insert(described(error));
  const auto has = [&](const char* kind) {
    return std::any_of(found.begin(), found.end(),
                       [&](const auto& error) { return std::get<0>(error) == kind; });
  };
  RC_CLASSIFY(has("before"), "before");
  RC_CLASSIFY(has("in"), "in");
  RC_CLASSIFY(has("after"), "after");
  const std::multiset<ReferenceSideTrack::Error> expected(reference.errors().begin(),
                                                          reference.errors().end());
  RC_ASSERT(found == expected);
}

const ReferenceAcquire& acquire_of(const ReferenceSideTrack& reference, uint64_t index,
                                   LockId lock) {
  const auto found =
      std::find_if(reference.acquires().begin(), reference.acquires().end(),
                   [&](const ReferenceAcquire& a) { return a.index == index && a.lock == lock; });
  RC_ASSERT(found != reference.acquires().end());
  return *found;
}

// Chapter 21: the units common to the stacks of the window's two acquires.
std::vector<uint32_t> blamed(const Trace& trace, const ReferenceAcquire& first,
                             const ReferenceAcquire& second) {
  std::vector<uint32_t> labels;
  for (size_t i = 0; i < std::min(first.units.size(), second.units.size()); ++i) {
    if (first.units[i] == second.units[i]) labels.push_back(trace.events[first.units[i]].object);
  }
  return labels;
}

std::vector<uint32_t> labels_of(const UnitStack* stack) {
  std::vector<uint32_t> labels;
  for (; stack != nullptr; stack = stack->outer.get()) labels.push_back(stack->label);
  return {labels.rbegin(), labels.rend()};
}

RC_GTEST_PROP(SideTrack, NamesWindowCulpritAndBlame, ()) {
  const RandomTrace random = *unit_trace(3);
  const ReferenceSideTrack reference(random.trace);
  for (const AtomicityError& error : errors_in(random.trace)) {
    const ReferenceAcquire& first = acquire_of(reference, error.window.first.index, error.lock);
    const ReferenceAcquire& second = acquire_of(reference, error.window.second.index, error.lock);
    const ReferenceAcquire& culprit = acquire_of(reference, error.culprit.index, error.lock);
    RC_ASSERT(first.thread == second.thread && culprit.thread != first.thread);
    RC_ASSERT(!culprit.shared || (!first.shared && !second.shared));
    RC_ASSERT(first.index < second.index);
    RC_ASSERT(!first.units.empty() &&
              labels_of(error.window.units.get()) == blamed(random.trace, first, second));
    switch (error.kind) {
      case ErrorKind::before:
        RC_ASSERT(culprit.index < first.index && !reference.known(culprit.index, first));
        break;
      case ErrorKind::in:
        RC_ASSERT(first.index < culprit.index && culprit.index < second.index);
        break;
      case ErrorKind::after:
        RC_ASSERT(second.index < culprit.index && !reference.known(second.index, culprit));
        break;
    }
  }
}

RC_GTEST_PROP(SideTrack, IsCertifiedIfAndOnlyIfSomeReorderingShowsIt, ()) {
  const RandomTrace random = *unit_trace(0.8);
  const Trace& trace = random.trace;
  const ScheduleChecker checker(trace);
  std::vector<Candidate> candidates = run_analysis("sidetrack", trace, 3);
  for (Candidate& candidate : candidates) candidate.group = 0;  // each on its own
  for (const auto& [name, counts] : decide(trace, candidates, {kEnough, 1, {}})) {
    RC_ASSERT(counts.undecided == 0U);
  }
  bool certified = false;
  for (const Candidate& candidate : candidates) {
    const bool feasible = some_reordering_has(trace, candidate.order);
    certified |= candidate.strength == Strength::certified;
    RC_ASSERT(feasible == (candidate.strength != Strength::predicted));
    RC_ASSERT((candidate.strength == Strength::observed) == (candidate.detail["error"] == "in"));
    if (!feasible) continue;
    const Result<void> checked = checker.check_ordered(*candidate.witness, candidate.order);
    if (!checked) RC_FAIL(checked.error().message);
  }
  RC_CLASSIFY(!candidates.empty(), "errors");
  RC_CLASSIFY(certified, "certified");
}

}  // namespace
}  // namespace foretrace::testing
