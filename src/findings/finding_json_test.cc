#include "findings/finding_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {
namespace {

Finding sample() {
  Finding finding;
  finding.id = "race-0123456789abcdef";
  finding.analysis = "race";
  finding.kind = "data-race";
  finding.strength = Strength::certified;
  finding.message = "a message";
  finding.reason = "a reason";
  finding.variable = "x";
  finding.labels = {"deposit", "withdraw"};
  finding.witness = {{3, 1, 2}};
  finding.detail = {{"prefix", 3}};
  finding.events = {{1, "1", Op::wr, "x", "a.cpp:3", "deposit", {{"m", false}, {"n", true}}},
                    {2, "2", Op::vrmw, "x", "", "", {}, false, "the other"}};
  return finding;
}

TEST(FindingJson, ReadsBackWhatItWrote) {
  const nlohmann::ordered_json json = finding_json(sample());
  const Result<Finding> again = finding_from_json(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(dumped(finding_json(*again)), dumped(json));
  EXPECT_FALSE(again->events[1].held_known);
  EXPECT_TRUE(again->events[0].held_known);
}

TEST(FindingJson, ReplacesWhatIsNotUtf8) {
  Finding finding = sample();
  finding.message = "\xff";
  EXPECT_THAT(dumped(finding_json(finding)), ::testing::HasSubstr("\xEF\xBF\xBD"));
}

}  // namespace
}  // namespace foretrace
