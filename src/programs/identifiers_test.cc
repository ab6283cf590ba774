#include "programs/identifiers.h"

#include <gtest/gtest.h>

namespace foretrace::programs {
namespace {

TEST(Identifiers, StayWhereTheyCan) {
  Identifiers names;
  EXPECT_EQ(names.add("balance", "x"), "balance");
  EXPECT_EQ(names.add("a.balance", "x"), "a_balance");
  EXPECT_EQ(names.add("_a__b_", "x"), "a_b");  // underscores are for the compiler
}

TEST(Identifiers, AreNoWordsOfALanguage) {
  Identifiers names;
  EXPECT_EQ(names.add("int", "x"), "int_2");
  EXPECT_EQ(names.add("synchronized", "x"), "synchronized_2");
  EXPECT_EQ(names.add("step", "x"), "step_2");  // a function of the programs
}

TEST(Identifiers, AreNoMacros) {
  Identifiers names;
  EXPECT_EQ(names.add("EOF", "x"), "eof");
  EXPECT_EQ(names.add("V844", "x"), "V844");
}

TEST(Identifiers, ManyOfOneNameTakeNotForEver) {
  Identifiers names;
  std::string last;
  for (int i = 0; i < 200'000; ++i) last = names.add("unit", "unit");
  EXPECT_EQ(last, "unit_200000");
}

TEST(Identifiers, BeginWithALetter) {
  Identifiers names;
  EXPECT_EQ(names.add("42", "x"), "x_42");
  EXPECT_EQ(names.add("", "x"), "x");
  EXPECT_EQ(names.add("…", "lock"), "lock");
}

TEST(Identifiers, AreDifferent) {
  Identifiers names;
  EXPECT_EQ(names.add("x-1", "x"), "x_1");
  EXPECT_EQ(names.add("x_1", "x"), "x_1_2");
  EXPECT_EQ(names.add("x.1", "x"), "x_1_3");
}

}  // namespace
}  // namespace foretrace::programs
