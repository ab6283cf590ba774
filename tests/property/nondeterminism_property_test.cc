// nondeterminism against its definition, and decided by certify against all
// correct reorderings.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analyses/nondeterminism/witnesses.h"
#include "certify/certifier.h"
#include "certify/checker.h"
#include "property/nested_sections.h"
#include "property/reference_nondeterminism.h"
#include "property/reference_reorderings.h"
#include "property/run_analysis.h"
#include "property/tangled_trace.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kEnough = 1'000'000'000;
using Pair = std::pair<uint64_t, std::optional<uint64_t>>;

// With scopes enough that some are left unordered.
rc::Gen<RandomTrace> trace_with_choices() {
  return rc::gen::oneOf(small_trace(), rc::gen::resize(20, tangled_trace()));
}

RC_GTEST_PROP(Nondeterminism, DecidesWitnessesAsThePaperDefinesThem, ()) {
  const RandomTrace random = *trace_with_choices();
  const ReferenceWitnesses witnesses = reference_witnesses(random.trace);
  nondeterminism::WitnessCounts expected;
  std::set<Pair> expected_pairs;
  for (const auto& [key, witness] : witnesses) {
    ++expected.possible;
    expected.cyclic += witness.acyclic ? 0 : 1;
    if (witness.acyclic && witness.pairs == 0) {
      RC_ASSERT(witness.feasible);  // the paper's Theorem 2
      ++expected.without_choices;
    }
    if (witness.pairs > 0) {
      ++expected.with_choices;
      expected.choice_graphs += std::exp2(static_cast<double>(witness.pairs));
      expected.infeasible_choices += witness.feasible ? 0 : 1;
    }
    if (witness.feasible) expected_pairs.emplace(std::get<0>(key), std::get<1>(key));
  }
  RC_CLASSIFY(expected.cyclic > 0, "cycles");
  RC_CLASSIFY(expected.with_choices > 0, "choices");
  RC_CLASSIFY(expected.infeasible_choices > 0, "infeasible choices");

  const Model model(random.trace);
  nondeterminism::WitnessFinder finder(model, {kEnough, kEnough, kEnough});
  std::set<Pair> found;
  finder.run([&](const nondeterminism::NondeterministicRead& one) {
    const auto index = [&](nondeterminism::StepId step) { return finder.graph().index(step); };
    std::optional<uint64_t> challenger;
    if (one.challenger != nondeterminism::kNone) challenger = index(one.challenger);
    found.emplace(index(one.read), challenger);
    const auto witness =
        witnesses.find({index(one.read), challenger, std::string(name_of(one.order))});
    RC_ASSERT(witness->second.feasible);
  });
  const nondeterminism::WitnessCounts& counts = finder.counts();
  RC_ASSERT(counts.possible == expected.possible);
  RC_ASSERT(counts.cyclic == expected.cyclic);
  RC_ASSERT(counts.without_choices == expected.without_choices);
  RC_ASSERT(counts.with_choices == expected.with_choices);
  RC_ASSERT(counts.choice_graphs == expected.choice_graphs);
  RC_ASSERT(counts.infeasible_choices == expected.infeasible_choices);
  RC_ASSERT(found == expected_pairs);
}

RC_GTEST_PROP(Nondeterminism, CertifiesExactlyWhatReadsCanSeeInAllReorderings, ()) {
  const RandomTrace random = *small_trace();
  const Trace& trace = random.trace;
  std::vector<Candidate> candidates = run_analysis("nondeterminism", trace);
  for (const auto& [name, counts] : decide(trace, candidates, {kEnough, 1, {}})) {
    RC_ASSERT(counts.undecided == 0U);
  }
  const ScheduleChecker checker(trace);
  std::set<Pair> found;
  for (const Candidate& candidate : candidates) {
    const OtherRead& other = *candidate.other_read;
    RC_ASSERT(candidate.detail["read"] == other.read);
    if (candidate.strength != Strength::certified) {
      RC_ASSERT(candidate.detail["certify"] == "infeasible");
      continue;
    }
    RC_ASSERT(static_cast<bool>(checker.check_other_read(*candidate.witness, other.challenger)));
    const bool has_writer =
        other.writer && std::find(candidate.witness->begin(), candidate.witness->end(),
                                  *other.writer) != candidate.witness->end();
    RC_ASSERT((candidate.detail["order"] == "w-c-r") == (has_writer || !other.writer));
    found.emplace(other.read, other.challenger);
  }
  RC_CLASSIFY(!found.empty(), "nondeterministic");
  RC_ASSERT(found == explore_reorderings(trace).other_reads);
}

}  // namespace
}  // namespace foretrace::testing
