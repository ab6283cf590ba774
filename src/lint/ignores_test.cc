#include "lint/ignores.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

TEST(LintIgnores, LinesAndRules) {
  const auto found = ignore_comments(Name("a.cc"),
                                     "int x;  // foretrace: ignore(race)\n"
                                     "  // foretrace: ignore(rwr, rww)\n"
                                     "x++;\n"
                                     "x--;  /* foretrace: ignore */\n"
                                     "s = \"foretrace: ignore\";\n");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].line, 1U);
  EXPECT_EQ(found[0].rule, "race");
  EXPECT_EQ(found[1].line, 3U);
  EXPECT_EQ(found[1].rule, "rwr");
  EXPECT_EQ(found[2].line, 3U);
  EXPECT_EQ(found[2].rule, "rww");
  EXPECT_EQ(found[3].line, 4U);
  EXPECT_EQ(found[3].rule, "");
}

}  // namespace
}  // namespace foretrace::lint
