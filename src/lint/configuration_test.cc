#include "lint/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using testing::HasSubstr;

TEST(LintConfiguration, PatternsAndConfidence) {
  Configuration configuration;
  ASSERT_TRUE(add_configuration(configuration,
                                "confidence = \"low\"\n"
                                "[patterns]\n"
                                "lost-update = \"R(a) [w(a)] W(a)\"\n"
                                "RwR = [\"R(a) [w(a)] R(a)\", \"R(a) [w(a) w(b)] R(b)\"]\n",
                                "lint.toml"));
  EXPECT_EQ(configuration.confidence, Confidence::low);
  EXPECT_EQ(configuration.patterns.all().back().name, "lost-update");
  EXPECT_EQ(configuration.patterns.all().front().patterns.size(), 2U);
}

TEST(LintConfiguration, MistakesAreNamedWithTheirLine) {
  const auto error = [](const char* text) {
    Configuration configuration;
    return add_configuration(configuration, text, "lint.toml").error().message;
  };
  EXPECT_THAT(error("[patterns\n"), HasSubstr("lint.toml:1:"));
  EXPECT_THAT(error("\nconfidence = \"some\"\n"), HasSubstr("lint.toml:2: confidence is"));
  EXPECT_THAT(error("confidense = \"low\"\n"), HasSubstr("did you mean 'confidence'"));
  EXPECT_THAT(error("[patterns]\nx = 1\n"), HasSubstr("lint.toml:2: a pattern is a text"));
  EXPECT_THAT(error("[patterns]\nx = \"R(a)\"\n"), HasSubstr("lint.toml:2: pattern 'R(a)'"));
}

}  // namespace
}  // namespace foretrace::lint
