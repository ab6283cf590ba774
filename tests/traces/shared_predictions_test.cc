// What is known about the traces that others recorded; see
// ../shared/traces/README.md.
#include <filesystem>

#include <gtest/gtest.h>

#include "certify/certifier.h"
#include "formats/trace_io.h"
#include "property/run_analysis.h"

namespace foretrace::testing {
namespace {

constexpr uint64_t kDefaultBudget = 100'000'000;

struct Known {
  const char* file;
  size_t races;  // pairs that race in some correct reordering, by exhaustive search
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.file; }

class KnownRaces : public ::testing::TestWithParam<Known> {};

TEST_P(KnownRaces, AreFoundExactly) {
  const std::string path = std::string(FORETRACE_SHARED_DIR) + "/traces/" + GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const Trace trace = read_trace(file_bytes(path), "std").value();
  std::vector<Candidate> races = run_analysis("race", trace, 0, {"all-pairs"});
  for (const auto& [name, counts] : decide(trace, races, {kDefaultBudget, 1, {}})) {
    EXPECT_EQ(counts.undecided, 0U);
  }
  EXPECT_EQ(races.size(), GetParam().races);
}

INSTANTIATE_TEST_SUITE_P(
    Litmus, KnownRaces,
    ::testing::Values(
        Known{"litmus/Test1.std", 0}, Known{"litmus/Test3.std", 0}, Known{"litmus/Test5.std", 1},
        Known{"litmus/Test7.std", 2}, Known{"litmus/Test9.std", 1}, Known{"litmus/Test11.std", 1},
        Known{"litmus/Test13.std", 4}, Known{"litmus/Test15.std", 1}, Known{"litmus/Test17.std", 1},
        Known{"litmus/Test19.std", 4}, Known{"litmus/Test21.std", 1}, Known{"litmus/Test23.std", 3},
        Known{"litmus/Test25.std", 1}, Known{"litmus/Test27.std", 4}, Known{"ibm/account.std", 2},
        Known{"ibm/array.std", 0}, Known{"ibm/critical.std", 3}, Known{"ibm/hiddenRace.std", 2}),
    [](const ::testing::TestParamInfo<Known>& known) {
      return std::filesystem::path(known.param.file).stem().string();
    });

}  // namespace
}  // namespace foretrace::testing
