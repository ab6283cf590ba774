#include "findings/folding.h"

#include <gtest/gtest.h>

#include "findings/finding_json.h"

namespace foretrace {
namespace {

Finding race(const std::string& id, const std::string& site) {
  Finding finding;
  finding.id = id;
  finding.analysis = "lint";
  finding.kind = "data-race";
  finding.variable = "x";
  finding.labels = {"label of " + id};
  finding.detail = nlohmann::ordered_json::object();
  FindingEvent event;
  event.index = kNoIndex;
  event.op = Op::wr;
  event.thread = "worker";
  event.object = "x";
  event.site = site;
  event.function = "f";
  event.calls = {{"main.cc:1", "main"}};
  finding.events = {event, event};
  return finding;
}

TEST(Folding, OneFindingStaysAsItIs) {
  const Finding finding = folded({race("lint-1", "a.cc:1")});
  EXPECT_EQ(folded_into(finding), 0U);
  EXPECT_FALSE(finding.detail.contains("more"));
  EXPECT_EQ(unfolded(finding).size(), 1U);
}

TEST(Folding, WhatIsFoldedComesBackInOrder) {
  const Finding shown =
      folded({race("lint-1", "a.cc:1"), race("lint-2", "a.cc:2"), race("lint-3", "a.cc:3")});
  EXPECT_EQ(shown.id, "lint-1");
  EXPECT_EQ(folded_into(shown), 2U);
  EXPECT_EQ(shown.events[0].calls.size(), 1U);
  const std::vector<Finding> all = unfolded(shown);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_FALSE(all[0].detail.contains("more"));
  EXPECT_EQ(all[2].id, "lint-3");
  EXPECT_EQ(all[2].kind, "data-race");
  EXPECT_EQ(all[2].variable, "x");
  EXPECT_EQ(all[2].labels, std::vector<std::string>{"label of lint-3"});
  ASSERT_EQ(all[2].events.size(), 2U);
  EXPECT_EQ(all[2].events[0].site, "a.cc:3");
  EXPECT_EQ(all[2].events[0].op, Op::wr);
  EXPECT_EQ(all[2].events[0].function, "f");
  EXPECT_EQ(all[2].events[0].thread, "worker");
  EXPECT_EQ(all[2].message, "x is written at a.cc:3, written at a.cc:3");
}

TEST(Folding, SurvivesJson) {
  const Finding shown = folded({race("lint-1", "a.cc:1"), race("lint-2", "a.cc:2")});
  const Result<Finding> read = finding_from_json(finding_json(shown));
  ASSERT_TRUE(read);
  EXPECT_EQ(unfolded(*read)[1].id, "lint-2");
}

}  // namespace
}  // namespace foretrace
