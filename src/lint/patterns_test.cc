#include "lint/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using testing::HasSubstr;

constexpr VariableUse::Block kNone;
constexpr VariableUse::Block kRead{true, false};
constexpr VariableUse::Block kWrite{false, true};
constexpr VariableUse::Block kBoth{true, true};

// What the first block, one other and the second do to a variable.
struct Uses {
  VariableUse::Block first, other, second;
};

Bits one(bool is_set) {
  Bits bits(1);
  if (is_set) bits.set(0);
  return bits;
}

std::vector<std::vector<uint32_t>> matches(std::string_view text, const std::vector<Uses>& all) {
  std::vector<VariableUse> uses;
  for (const Uses& use : all) {
    uses.push_back({use.first, use.second, one(use.other.reads), one(use.other.writes)});
  }
  std::vector<std::vector<uint32_t>> found;
  match(parse_pattern(text).value(), uses, one(true), [&](std::span<const uint32_t> bound, auto&) {
    found.emplace_back(bound.begin(), bound.end());
    return true;
  });
  return found;
}

using Bound = std::vector<std::vector<uint32_t>>;

TEST(Patterns, OneVariable) {
  const char* const lost_update = "R(a) [w(a)] W(a)";
  EXPECT_EQ(matches(lost_update, {{kRead, kWrite, kWrite}}), Bound({{0}}));
  EXPECT_EQ(matches(lost_update, {{kBoth, kBoth, kBoth}}), Bound({{0}}));
  EXPECT_EQ(matches(lost_update, {{kRead, kRead, kWrite}}), Bound());
  EXPECT_EQ(matches(lost_update, {{kNone, kWrite, kWrite}, {kRead, kWrite, kWrite}}), Bound({{1}}));
}

TEST(Patterns, DifferentNamesAreDifferentVariables) {
  const char* const torn = "R(a) [w(a) w(b)] R(b)";
  EXPECT_EQ(matches(torn, {{kRead, kWrite, kRead}}), Bound());
  EXPECT_EQ(matches(torn, {{kRead, kWrite, kNone}, {kNone, kWrite, kRead}}), Bound({{0, 1}}));
}

TEST(Patterns, NegatedTerms) {
  const char* const torn = "R(a) !A(b) [w(a) w(b)] R(b) !A(a)";
  EXPECT_EQ(matches(torn, {{kRead, kWrite, kNone}, {kNone, kWrite, kRead}}), Bound({{0, 1}}));
  // The second block reads both: it sees them as they belong together.
  EXPECT_EQ(matches(torn, {{kRead, kWrite, kRead}, {kNone, kWrite, kRead}}), Bound());
  EXPECT_EQ(matches(torn, {{kRead, kWrite, kNone}, {kWrite, kWrite, kRead}}), Bound());
}

// One other writes a, another one b: nobody writes both. A third one does.
TEST(Patterns, OneOtherDoesAllOfIt) {
  const Pattern pattern = parse_pattern("R(a) [w(a) w(b)] R(b)").value();
  const auto others = [](std::initializer_list<size_t> numbers) {
    Bits bits(70);
    for (const size_t number : numbers) bits.set(number);
    return bits;
  };
  std::vector<size_t> found;
  const auto look = [&](std::initializer_list<size_t> parallel) {
    const std::vector<VariableUse> uses = {{kRead, kNone, others({}), others({1, 68})},
                                           {kNone, kRead, others({}), others({2, 68})}};
    match(pattern, uses, others(parallel), [&](auto, const Bits& between) {
      found.push_back(between.first());
      return true;
    });
  };
  look({1, 2, 3});
  EXPECT_TRUE(found.empty());
  look({1, 2, 3, 68});
  EXPECT_EQ(found, std::vector<size_t>({68}));
}

TEST(Patterns, FoundSaysWhenItIsEnough) {
  const std::vector<VariableUse> uses(3, VariableUse{kRead, kRead, one(false), one(true)});
  int found = 0;
  match(parse_pattern("R(a) [w(a)] R(a)").value(), uses, one(true),
        [&](auto, const Bits&) { return ++found < 2; });
  EXPECT_EQ(found, 2);
}

TEST(Patterns, SourceAndTarget) {
  const Pattern pattern = parse_pattern("W(x) R(y) [w(x) w(y)] !A(x) R(z) : flow").value();
  EXPECT_EQ(pattern.source(), 1U);
  EXPECT_EQ(pattern.target(), 2U);
  EXPECT_TRUE(pattern.needs_flow);
  EXPECT_FALSE(pattern.unchecked);
}

TEST(Patterns, MistakesAreNamed) {
  const auto error = [](std::string_view text) { return parse_pattern(text).error().message; };
  EXPECT_THAT(error("R(a)"), HasSubstr("at character 5 there should be '['"));
  EXPECT_THAT(error("r(a) [w(a)] W(a)"), HasSubstr("at character 1 there should be R, W or A"));
  EXPECT_THAT(error("R(a) [W(a)] W(a)"), HasSubstr("at character 7 there should be r, w or a"));
  EXPECT_THAT(error("R(a) [w()] W(a)"), HasSubstr("the name of a variable"));
  EXPECT_THAT(error("R(a) [w(a)] W(a) : fast"), HasSubstr("'fast' is no condition"));
  EXPECT_THAT(error("!R(a) [w(a)] W(a)"), HasSubstr("each of the three blocks"));
  EXPECT_THAT(error("R(a) [w(a) w(b)] W(a)"), HasSubstr("'b' needs a term"));
  EXPECT_THAT(error("W(a) [w(a)] W(a) : flow"), HasSubstr("need an R in the first block"));
}

TEST(Patterns, BuiltinRules) {
  const PatternRules rules;
  EXPECT_EQ(rules.names(), std::vector<std::string>({"RwR", "WrW", "RwW", "read-read", "read-write",
                                                     "write-read", "write-write"}));
  EXPECT_TRUE(rules.all()[0].by_default);
  EXPECT_FALSE(rules.all()[3].by_default);
}

TEST(Patterns, UsersAddAndReplace) {
  PatternRules rules;
  ASSERT_TRUE(rules.add("lost-update = R(a) [w(a)] W(a)"));
  EXPECT_EQ(rules.all().back().name, "lost-update");
  ASSERT_TRUE(rules.add("RwR = R(a) [w(a)] R(a)"));
  EXPECT_EQ(rules.all()[0].patterns.size(), 1U);
  ASSERT_TRUE(rules.add("RwR=R(a) [w(a) w(b)] R(b)"));
  EXPECT_EQ(rules.all()[0].patterns.size(), 2U);
  EXPECT_FALSE(rules.add("R(a) [w(a)] W(a)"));
  EXPECT_FALSE(rules.add("x y = R(a) [w(a)] W(a)"));
}

}  // namespace
}  // namespace foretrace::lint
