// Reduction keeps the finding, never makes a trace larger, and ends where no event
// can be left out.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/random_trace.h"
#include "reduce/reducer.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kBudget = 10'000'000;

void check_reduction(const Trace& trace, const std::string& analysis) {
  const AnalysisSettings settings;
  const FindingOracle oracle(*analysis_named(analysis).value(), settings, kBudget);
  std::vector<Finding> findings = oracle.find_all(trace);
  // What an analysis proposes under another name is reduced under that.
  std::erase_if(findings, [&](const Finding& finding) { return finding.analysis != analysis; });
  RC_CLASSIFY(!findings.empty(), "has a finding");
  if (findings.empty()) return;
  const Finding finding = *rc::gen::elementOf(findings);

  Reducer reducer(trace, finding, oracle, {});
  const Trace small = reducer.run();
  RC_ASSERT(!reducer.stopped());
  RC_ASSERT(small.events.size() <= trace.events.size());
  RC_ASSERT(oracle.has(small, finding));
  for (uint32_t left_out = 0; left_out < small.events.size(); ++left_out) {
    Selection others(small.events.size());
    std::iota(others.begin(), others.end(), uint32_t{0});
    others.erase(others.begin() + left_out);
    RC_ASSERT(!oracle.has(subtrace(small, others, {}), finding));
  }
  const Trace renamed = with_short_names(small);
  RC_ASSERT(renamed.events.size() == small.events.size());
}

RandomTraceOptions small_options() {
  RandomTraceOptions options;
  options.threads = 3;
  options.locations = 2;
  options.sites = true;
  return options;
}

RC_GTEST_PROP(Reduce, KeepsHappensBeforeRaces, ()) {
  check_reduction((*random_trace(small_options())).trace, "hb");
}
RC_GTEST_PROP(Reduce, KeepsCausallyPrecedesRaces, ()) {
  check_reduction((*random_trace(small_options())).trace, "cp");
}
RC_GTEST_PROP(Reduce, KeepsCertifiedRaces, ()) {
  check_reduction((*random_trace(small_options())).trace, "race");
}
RC_GTEST_PROP(Reduce, KeepsNondeterministicReads, ()) {
  check_reduction((*random_trace(small_options())).trace, "nondeterminism");
}

}  // namespace
}  // namespace foretrace::testing
