#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {
namespace {

using ::testing::ElementsAre;

TEST(Text, Counts) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(UINT64_MAX), "18,446,744,073,709,551,615");
  EXPECT_EQ(counted(1, "event"), "1 event");
  EXPECT_EQ(counted(0, "event"), "0 events");
  EXPECT_EQ(counted(2000, "entry", "entries"), "2,000 entries");
}

TEST(Text, ParsesCounts) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("12"), 12U);
  EXPECT_EQ(parse_count("1.5k"), 1500U);
  EXPECT_EQ(parse_count("10M"), 10'000'000U);
  EXPECT_EQ(parse_count("2g"), 2'000'000'000U);
  for (const std::string_view bad :
       {"", "k", "-1", "1x", "1 000", "1e9", "inf", "nan", "99999999999G"}) {
    EXPECT_FALSE(parse_count(bad)) << bad;
  }
}

TEST(Text, ParsesIntegers) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  for (const std::string_view bad : {"", "-", "+1", "1 ", " 1", "1x", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(bad), std::nullopt) << bad;
  }
}

TEST(Text, Splits) {
  EXPECT_THAT(split("a|b||", '|'), ElementsAre("a", "b", "", ""));
  EXPECT_THAT(split("", '|'), ElementsAre(""));
  EXPECT_THAT(words_of("  wr\t1  x \r"), ElementsAre("wr", "1", "x"));
  EXPECT_THAT(words_of(" \t"), ElementsAre());
  EXPECT_EQ(trimmed(" \ta b\r "), "a b");
  EXPECT_EQ(trimmed("   "), "");
}

TEST(Text, MakesBytesPrintable) {
  EXPECT_EQ(printable("plain"), "plain");
  EXPECT_EQ(printable("h\xC3\xA9"), "h\xC3\xA9");
  EXPECT_EQ(printable(std::string_view("a\nb\0", 4)), "a\\x0ab\\x00");
  EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xE2\x80\xAEtxt"), "\\u202etxt");  // turns what follows
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");                               // an escape of terminals
  EXPECT_EQ(printable("\xE2\x80\xA6"), "\xE2\x80\xA6");  // an ellipsis does neither
  EXPECT_EQ(printable("abcdef", 3), "abc…");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(Text, MatchesGlobs) {
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*c", "abbbc"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_TRUE(glob_match("*.cc", "a.cc.cc"));
  EXPECT_FALSE(glob_match("a*c", "abbbd"));
  EXPECT_FALSE(glob_match("?", ""));
  // Many stars must not take exponential time.
  const std::string text(2000, 'a');
  EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*a*b", text));
}

TEST(Text, Suggests) {
  const std::vector<std::string> known = {"analyze", "convert", "info"};
  EXPECT_EQ(did_you_mean("analyse", known), "; did you mean 'analyze'?");
  EXPECT_EQ(did_you_mean("inf", known), "; did you mean 'info'?");
  EXPECT_EQ(did_you_mean("inof", known), "; did you mean 'info'?");
  EXPECT_EQ(did_you_mean("zebra", known), "");
  EXPECT_EQ(did_you_mean(std::string(1000, 'a'), known), "");
}

TEST(Text, MeasuresAndPads) {
  EXPECT_EQ(display_width("h\xC3\xA9"), 2U);
  EXPECT_EQ(padded("h\xC3\xA9", 4), "h\xC3\xA9  ");
  EXPECT_EQ(padded("long", 2), "long");
}

}  // namespace
}  // namespace foretrace
