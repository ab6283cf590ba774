#include "findings/violated_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {
namespace {

using ::testing::ElementsAre;

Finding finding(std::string analysis, Strength strength, std::vector<std::string> labels,
                uint64_t count, std::string culprit_site) {
  Finding finding;
  finding.analysis = std::move(analysis);
  finding.strength = strength;
  finding.labels = std::move(labels);
  finding.detail["count"] = count;
  finding.events.resize(3);
  finding.events[0].thread = finding.events[2].thread = "1";
  finding.events[1].thread = "2";
  finding.events[1].site = std::move(culprit_site);
  return finding;
}

TEST(ViolatedUnits, StrongestAndMostOftenViolatedFirst) {
  const std::vector<ViolatedUnit> units =
      violated_units({finding("sidetrack", Strength::certified, {"rare"}, 1, "a.cc:1"),
                      finding("sidetrack", Strength::certified, {"often"}, 9, "a.cc:1"),
                      finding("sidetrack", Strength::predicted, {"maybe"}, 99, "a.cc:1"),
                      finding("sidetrack", Strength::observed, {"seen"}, 1, "a.cc:1")});
  std::vector<std::string> labels;
  for (const ViolatedUnit& unit : units) labels.push_back(unit.label);
  EXPECT_THAT(labels, ElementsAre("seen", "often", "rare", "maybe"));
}

TEST(ViolatedUnits, CulpritsAreCounted) {
  const std::vector<ViolatedUnit> units =
      violated_units({finding("sidetrack", Strength::certified, {"transfer"}, 2, "a.cc:1"),
                      finding("sidetrack", Strength::certified, {"transfer"}, 5, "a.cc:7"),
                      finding("sidetrack", Strength::certified, {"transfer"}, 1, "")});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].times, 8U);
  ASSERT_EQ(units[0].culprits.size(), 3U);
  EXPECT_EQ(units[0].culprits[0].where, "a.cc:7");
  EXPECT_EQ(units[0].culprits[1].where, "a.cc:1");
  EXPECT_EQ(units[0].culprits[2].where, "thread 2");
}

TEST(ViolatedUnits, WhatTwoAnalysesSeeCountsOnce) {
  const std::vector<ViolatedUnit> units =
      violated_units({finding("sidetrack", Strength::certified, {"transfer"}, 2, "a.cc:1"),
                      finding("serializability", Strength::observed, {"transfer"}, 3, "a.cc:1")});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].times, 3U);
  EXPECT_EQ(units[0].strength, Strength::observed);
}

TEST(ViolatedUnits, OnlyThoseThatAreBlamed) {
  Finding cycle = finding("serializability", Strength::observed, {"a", "b"}, 1, "x.cc:1");
  cycle.detail["blamed"] = {"a"};
  const std::vector<ViolatedUnit> units = violated_units({cycle});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].label, "a");
}

TEST(ViolatedUnits, RacesBlameNoUnit) {
  EXPECT_TRUE(violated_units({finding("hb", Strength::observed, {}, 1, "a.cc:1")}).empty());
}

}  // namespace
}  // namespace foretrace
