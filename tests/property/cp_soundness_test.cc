// The soundness theorem of CP (paper 000, appendix B), on small traces.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "property/nested_sections.h"
#include "property/reference_reorderings.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

// Theorem of appendix B: the first CP race of a trace (the one whose second
// access comes first, and of those the latest first access) is a race of some
// correct reordering, or some correct reordering deadlocks.
RC_GTEST_PROP(Cp, FirstRaceIsARaceOrADeadlock, ()) {
  const RandomTrace random = *nested_sections();
  const std::vector<Candidate> races = run_analysis("cp", random.trace, 0, {"all-pairs"});
  if (races.empty()) return;
  const auto first =
      std::min_element(races.begin(), races.end(), [](const Candidate& a, const Candidate& b) {
        return std::pair(a.events[1].index, ~a.events[0].index) <
               std::pair(b.events[1].index, ~b.events[0].index);
      });
  const Reachable reachable = explore_reorderings(random.trace);
  const bool race = reachable.races.contains({first->events[0].index, first->events[1].index});
  RC_CLASSIFY(race, "race");
  RC_CLASSIFY(!race, "deadlock");
  RC_ASSERT(race || !reachable.deadlocks.empty());
}

}  // namespace
}  // namespace foretrace::testing
