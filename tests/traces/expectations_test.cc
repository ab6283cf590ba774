// Every trace under tests/traces says in its comments what is to be found:
//   # expect hb: data-race x 0 5            the pair, exactly
//   # expect hb: data-race x 0 5 observed   and its strength
//   # expect sidetrack: atomicity-violation m 2 7 4 of a,b after
//                                           ... with its units, and its detail.error
//   # expect lockset: none
//   # expect nondeterminism: nondeterministic-read x 4 1 c-r-w
//                                           the read, what it saw and can see (if these are
//                                           events), and the order
//   # expect none                           no race and no deadlock, by any analysis
//   # expect atomic-sets: atomic-set-violation x 1 2 3 5
//                                           the accesses, and the pattern
// For each analysis that is named, the list is complete. Candidates are decided
// first, so races and deadlocks that no schedule shows are not found.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "certify/certifier.h"
#include "formats/trace_io.h"
#include "property/reference_reorderings.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kBudget = 100'000'000;

struct Expectations {
  std::map<std::string, std::multiset<std::string>> by_analysis;
  bool clean = false;  // no race and no deadlock
  bool with_strength = false;
  bool with_units = false;
};

Expectations expectations_in(const std::string& tiddle) {
  Expectations expected;
  for (const std::string_view line : split(tiddle, '\n')) {
    std::vector<std::string_view> words = words_of(line);
    if (words.size() < 3 || words[0] != "#" || words[1] != "expect") continue;
    if (words[2] == "none") {
      expected.clean = true;
      continue;
    }
    EXPECT_TRUE(words[2].ends_with(":")) << line;
    const std::string analysis(words[2].substr(0, words[2].size() - 1));
    EXPECT_TRUE(analysis_named(analysis)) << line;
    std::multiset<std::string>& list = expected.by_analysis[analysis];
    if (words[3] == "none") continue;
    words.erase(words.begin(), words.begin() + 3);
    if (strength_named(words.back())) expected.with_strength = true;
    if (std::find(words.begin(), words.end(), "of") != words.end()) expected.with_units = true;
    list.insert(fmt::format("{}", fmt::join(words, " ")));
  }
  return expected;
}

std::string described(const Candidate& candidate, const Trace& trace,
                      const Expectations& expected) {
  std::string text = candidate.kind;
  if (candidate.variable) text += fmt::format(" {}", trace.symbols->location(*candidate.variable));
  if (candidate.lock) text += fmt::format(" {}", trace.symbols->lock(*candidate.lock));
  for (const CandidateEvent& event : candidate.events) text += fmt::format(" {}", event.index);
  if (candidate.kind == "atomic-set-violation") {
    text += fmt::format(" {}", candidate.detail["pattern"].get<int>());
  }
  if (candidate.other_read) text += " " + candidate.detail["order"].get<std::string>();
  if (expected.with_units && !candidate.labels.empty()) {
    std::vector<std::string> units;
    for (const uint32_t label : candidate.labels) {
      units.emplace_back(trace.symbols->names(Space::label)[label]);
    }
    text += fmt::format(" of {}", fmt::join(units, ","));
    if (candidate.detail.contains("error")) {
      text += " " + candidate.detail["error"].get<std::string>();
    }
  }
  if (expected.with_strength) text += fmt::format(" {}", name_of(candidate.strength));
  return text;
}

std::vector<Candidate> decided(std::string_view analysis, const Trace& trace, size_t batch_size) {
  std::vector<Candidate> candidates = run_analysis(analysis, trace, batch_size);
  decide(trace, candidates, {kBudget, 1, {}});
  return candidates;
}

class Expected : public ::testing::TestWithParam<std::string> {};

TEST_P(Expected, IsFound) {
  const std::string tiddle = file_bytes(GetParam());
  const Expectations expected = expectations_in(tiddle);
  ASSERT_TRUE(expected.clean || !expected.by_analysis.empty()) << "none in " << GetParam();
  const Result<Trace> read = read_trace(tiddle, "tiddle");
  ASSERT_TRUE(read) << read.error().message;
  const Trace& trace = *read;
  for (const auto& [analysis, findings] : expected.by_analysis) {
    for (const size_t batch_size : {size_t{0}, size_t{1}, size_t{3}}) {
      std::multiset<std::string> found;
      for (const Candidate& candidate : decided(analysis, trace, batch_size)) {
        if (candidate.analysis != analysis) continue;
        found.insert(described(candidate, trace, expected));
      }
      EXPECT_EQ(found, findings) << analysis << " in batches of " << batch_size;
    }
  }
}

// What is certified, and nothing else, is what trying every correct reordering
// comes upon: the locations that race, and whether threads can deadlock.
TEST_P(Expected, IsWhatAllReorderingsShow) {
  const Result<Trace> read = read_trace(file_bytes(GetParam()), "tiddle");
  ASSERT_TRUE(read) << read.error().message;
  const Trace& trace = *read;
  const Reachable reachable = explore_reorderings(trace);
  std::set<LocationId> racy;
  for (const auto& [first, second] : reachable.races) racy.insert(trace.events[first].object);

  std::set<LocationId> certified;
  std::vector<Candidate> races = run_analysis("race", trace);
  decide(trace, races, {kBudget, 1, {}});
  for (const Candidate& candidate : races) certified.insert(*candidate.variable);
  EXPECT_EQ(certified, racy);

  std::vector<Candidate> deadlocks = run_analysis("deadlock", trace);
  decide(trace, deadlocks, {kBudget, 1, {}});
  EXPECT_EQ(deadlocks.empty(), reachable.deadlocks.empty());
}

TEST_P(Expected, IsCleanIfItSaysSo) {
  const std::string tiddle = file_bytes(GetParam());
  if (!expectations_in(tiddle).clean) return;
  const Trace trace = read_trace(tiddle, "tiddle").value();
  for (const AnalysisInfo& info : analyses()) {
    for (const Candidate& candidate : decided(info.name, trace, 0)) {
      EXPECT_NE(candidate.kind, "data-race") << info.name;
      EXPECT_NE(candidate.kind, "deadlock") << info.name;
    }
  }
}

std::vector<std::string> trace_files() {
  std::vector<std::string> files;
  const std::string folder = std::string(FORETRACE_SOURCE_DIR) + "/tests/traces";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tiddle") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  const std::filesystem::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Traces, Expected, ::testing::ValuesIn(trace_files()), test_name);

}  // namespace
}  // namespace foretrace::testing
