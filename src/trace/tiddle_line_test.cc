#include "trace/tiddle_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/tiddle_format.h"

namespace foretrace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TiddleLine, HasParts) {
  const auto line = parse_tiddle_line("  wr 1 x -5 @ bank.cpp:41   # why  not");
  ASSERT_TRUE(line);
  EXPECT_THAT(line->words, ElementsAre("wr", "1", "x", "-5"));
  EXPECT_EQ(line->op, Op::wr);
  EXPECT_EQ(line->value, -5);
  EXPECT_EQ(line->site, "bank.cpp:41");
  EXPECT_EQ(line->comment, "# why  not");
}

TEST(TiddleLine, MayBeADirectiveOrNothing) {
  EXPECT_TRUE(parse_tiddle_line("set account a.x a.y")->is_directive());
  EXPECT_FALSE(parse_tiddle_line("wr 1 x")->is_directive());
  EXPECT_THAT(parse_tiddle_line(" \t")->words, IsEmpty());
  EXPECT_THAT(parse_tiddle_line("# only this")->words, IsEmpty());
}

TEST(TiddleLine, SaysWhereItIsWrong) {
  const std::string_view text = "acq 1 l 5 6";
  const auto line = parse_tiddle_line(text);
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().place.data(), text.data() + 8);
  EXPECT_EQ(line.error().place, "5");
  EXPECT_EQ(line.error().sentence, "'5' is one word too many after 'acq 1 l'");
}

TEST(TiddleLine, OperationsThatMeanNothingAreUnknown) {
  EXPECT_FALSE(parse_tiddle_line("skip 1 x"));
}

TEST(TiddleExcerpt, MarksThePlace) {
  const std::string_view text = "wr\t1 xö five";
  EXPECT_EQ(tiddle_excerpt(text, 12, text.substr(9, 4), "expected a number"),
            "   12 | wr 1 xö five\n"
            "      |         ^~~~ column 9: expected a number");
}

TEST(TiddleExcerpt, LongLinesAreCut) {
  const std::string text = "wr 1 " + std::string(1000, 'x') + " five";
  const std::string excerpt =
      tiddle_excerpt(text, 1, std::string_view(text).substr(1006), "expected a number");
  const std::string part = std::string(79, 'x') + " five";
  EXPECT_EQ(excerpt, "    1 | …" + part + "\n      | " + std::string(81, ' ') +
                         "^~~~ column 1007: expected a number");
}

TEST(TiddleFormat, KeepsParagraphsAndComments) {
  EXPECT_EQ(format_tiddle({"", "acq 1 l", "notifyall 12 l \t# all", "", "", "# x", "wr 1 x", ""}),
            "acq       1  l\n"
            "notifyall 12 l  # all\n"
            "\n"
            "# x\n"
            "wr 1 x\n");
  EXPECT_EQ(format_tiddle({}), "");
}

}  // namespace
}  // namespace foretrace
