#include "hunting/known_findings.h"

#include <gtest/gtest.h>

namespace foretrace {
namespace {

Finding race(Op a, const std::string& at_a, Op b, const std::string& at_b) {
  Finding finding;
  finding.kind = "data-race";
  finding.events.resize(2);
  finding.events[0].op = a;
  finding.events[0].site = at_a;
  finding.events[1].op = b;
  finding.events[1].site = at_b;
  return finding;
}

TEST(SamePlace, FilesMayBeLongerAndColumnsMissing) {
  EXPECT_TRUE(same_place("a.cpp:3:5", "/home/x/a.cpp:3:5"));
  EXPECT_TRUE(same_place("./src/a.cpp:3", "src/a.cpp:3:5"));
  EXPECT_FALSE(same_place("a.cpp:3:5", "/home/x/aa.cpp:3:5"));
  EXPECT_FALSE(same_place("a.cpp:3:5", "a.cpp:3:6"));
  EXPECT_FALSE(same_place("a.cpp:3:5", "a.cpp:4:5"));
  EXPECT_TRUE(same_place("a.cpp", "src/a.cpp"));  // the compiler had no line
  EXPECT_FALSE(same_place("a.cpp", "a.cpp:4"));
  EXPECT_FALSE(same_place("", ""));
}

TEST(KnownFindings, AnyOrderButEachEventOnce) {
  const Finding predicted = race(Op::rd, "a.cpp:3:5", Op::wr, "a.cpp:9:1");
  EXPECT_TRUE(is_same_error(predicted, race(Op::wr, "a.cpp:9:1", Op::rd, "a.cpp:3:5")));
  EXPECT_FALSE(is_same_error(predicted, race(Op::wr, "a.cpp:9:1", Op::wr, "a.cpp:9:1")));
  EXPECT_FALSE(is_same_error(predicted, race(Op::wr, "a.cpp:9:1", Op::wr, "a.cpp:3:5")));
}

TEST(KnownFindings, AllObserved) {
  KnownFindings known({race(Op::wr, "a.cpp:1:1", Op::wr, "a.cpp:2:1"),
                       race(Op::wr, "a.cpp:3:1", Op::wr, "a.cpp:4:1")});
  EXPECT_TRUE(known.note(race(Op::wr, "a.cpp:5:1", Op::wr, "a.cpp:4:1")).empty());
  EXPECT_EQ(known.note(race(Op::wr, "a.cpp:2:1", Op::wr, "a.cpp:1:1")).size(), 1U);
  EXPECT_FALSE(known.all_observed());
  known.note(race(Op::wr, "a.cpp:3:1", Op::wr, "a.cpp:4:1"));
  EXPECT_TRUE(known.all_observed());
  EXPECT_FALSE(KnownFindings().all_observed());
}

}  // namespace
}  // namespace foretrace
