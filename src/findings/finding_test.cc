#include "findings/finding.h"

#include <gtest/gtest.h>

namespace foretrace {
namespace {

Finding race(uint64_t first, uint64_t second, const std::string& thread) {
  Finding finding;
  finding.analysis = "hb";
  finding.kind = "data-race";
  finding.variable = "x";
  finding.events = {{first, thread, Op::wr, "x", "a.cpp:1", "f", {}},
                    {second, "9", Op::rd, "x", "a.cpp:2", "g", {}}};
  return finding;
}

std::string id_of(const Finding& finding) {
  std::vector<Finding> one = {finding};
  assign_ids(one);
  return one[0].id;
}

TEST(FindingId, DoesNotDependOnIndexesThreadsOrOrder) {
  const std::string id = id_of(race(1, 2, "1"));
  EXPECT_TRUE(id.starts_with("hb-")) << id;
  EXPECT_EQ(id_of(race(17, 40, "3")), id);
  Finding other_order = race(1, 2, "1");
  std::swap(other_order.events[0], other_order.events[1]);
  EXPECT_EQ(id_of(other_order), id);
}

TEST(FindingId, DependsOnWhatAndWhere) {
  const std::string id = id_of(race(1, 2, "1"));
  Finding elsewhere = race(1, 2, "1");
  elsewhere.events[0].site = "a.cpp:3";
  EXPECT_NE(id_of(elsewhere), id);
  Finding other_variable = race(1, 2, "1");
  other_variable.variable = "y";
  EXPECT_NE(id_of(other_variable), id);
  Finding other_operation = race(1, 2, "1");
  other_operation.events[1].op = Op::wr;
  EXPECT_NE(id_of(other_operation), id);
}

TEST(FindingId, TellsTwinsApart) {
  std::vector<Finding> twins = {race(1, 2, "1"), race(3, 4, "1"), race(5, 6, "1")};
  assign_ids(twins);
  EXPECT_EQ(twins[1].id, twins[0].id + "-2");
  EXPECT_EQ(twins[2].id, twins[0].id + "-3");
}

}  // namespace
}  // namespace foretrace
