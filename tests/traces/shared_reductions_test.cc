// Every finding in the traces that others recorded survives reduction, which
// leaves a trace that fits on a screen.
#include <filesystem>

#include <gtest/gtest.h>

#include "formats/trace_io.h"
#include "reduce/reducer.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kBudget = 100'000'000;
constexpr size_t kScreen = 60;

std::vector<std::string> recorded_traces() {
  std::vector<std::string> files;
  const std::filesystem::path folder = std::string(FORETRACE_SHARED_DIR) + "/traces";
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".std" || extension == ".data") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Reduction : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Reduction);

TEST_P(Reduction, KeepsEveryFinding) {
  const WellFormedOptions options = {.lenient = true, .unnested = true};
  const Result<Trace> trace = read_trace(file_bytes(GetParam()), {}, options);
  ASSERT_TRUE(trace) << trace.error().message;
  const AnalysisSettings settings;
  for (const char* const name : {"hb", "cp", "mb", "race", "deadlock"}) {
    const FindingOracle oracle(*analysis_named(name).value(), settings, kBudget);
    for (const Finding& finding : oracle.find_all(*trace)) {
      if (finding.analysis != name) continue;  // what mb reports as hb, hb has as well
      Reducer reducer(*trace, finding, oracle, {.well_formed = options});
      const Trace small = reducer.run();
      EXPECT_TRUE(oracle.has(small, finding)) << finding.id;
      EXPECT_LE(small.events.size(), kScreen) << finding.id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Reduction, ::testing::ValuesIn(recorded_traces()),
                         [](const ::testing::TestParamInfo<std::string>& recorded) {
                           return std::filesystem::path(recorded.param).stem().string();
                         });

}  // namespace
}  // namespace foretrace::testing
