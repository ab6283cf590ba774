#include "lint/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using testing::HasSubstr;

TEST(LintConfiguration, PatternsAndConfidence) {
  LintOptions options;
  options.confidence = "low";
  options.patterns = {"lost-update = R(a) [w(a)] W(a)", "RwR = R(a) [w(a)] R(a)",
                      "RwR = R(a) [w(a) w(b)] R(b)"};
  const Result<Configuration> configuration = read_configuration(options);
  ASSERT_TRUE(configuration) << configuration.error().message;
  EXPECT_EQ(configuration->confidence, Confidence::low);
  EXPECT_EQ(configuration->patterns.all().back().name, "lost-update");
  EXPECT_EQ(configuration->patterns.all().front().patterns.size(), 2U);
}

TEST(LintConfiguration, MistakesAreNamed) {
  LintOptions options;
  options.confidence = "some";
  EXPECT_THAT(read_configuration(options).error().message, HasSubstr("low, normal or high"));
  options.confidence = "high";
  options.patterns = {"x = R(a)"};
  EXPECT_THAT(read_configuration(options).error().message, HasSubstr("pattern 'R(a)'"));
  options.patterns = {};
  options.models = "/no/such/file";
  EXPECT_THAT(read_configuration(options).error().message, HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace foretrace::lint
