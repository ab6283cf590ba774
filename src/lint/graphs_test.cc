#include "lint/graphs.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using Sets = std::vector<std::vector<uint32_t>>;

Sets components(const Sets& next) {
  Sets found;
  for_each_component(next, [&](std::span<const uint32_t> nodes) {
    found.emplace_back(nodes.begin(), nodes.end());
    std::sort(found.back().begin(), found.back().end());
  });
  return found;
}

TEST(Graphs, ComponentsComeAfterThoseTheyLeadTo) {
  EXPECT_EQ(components({{1}, {2}, {}}), (Sets{{2}, {1}, {0}}));
  // 0 -> (1 <-> 2) -> 3 -> 3
  EXPECT_EQ(components({{1}, {2}, {1, 3}, {3}}), (Sets{{3}, {1, 2}, {0}}));
  // Two circles that share a node are one.
  EXPECT_EQ(components({{1, 2}, {0}, {0}, {0}}), (Sets{{0, 1, 2}, {3}}));
  // An edge to what is done already does not join them.
  EXPECT_EQ(components({{1, 2}, {}, {1, 0}}), (Sets{{1}, {0, 2}}));
}

TEST(Graphs, ReachedFrom) {
  EXPECT_EQ(reached_from({1}, {{}, {2}, {1}, {0}}), (std::vector<bool>{false, true, true, false}));
}

TEST(Graphs, DecidersOfBranchesAndLoops) {
  // 0 ? 1 : 2, then 3.
  EXPECT_EQ(deciders({{1, 2}, {3}, {3}, {}}), (Sets{{}, {0}, {0}, {}}));
  // while (0) { if (1) 2; }, then 3: a loop's condition decides whether it is asked again.
  EXPECT_EQ(deciders({{1, 3}, {2, 0}, {0}, {}}), (Sets{{0}, {0}, {0, 1}, {}}));
  // if (0) { if (1) return; 2 } 3
  EXPECT_EQ(deciders({{1, 3}, {4, 2}, {3}, {4}, {}}), (Sets{{}, {0}, {0, 1}, {0, 1}, {}}));
}

TEST(Graphs, DecidersInACycleThatIsNeverLeft) {
  // 0, while (true) { 1; if (2) 3; }
  EXPECT_EQ(deciders({{1}, {2}, {3, 1}, {1}}), (Sets{{}, {}, {}, {2}}));
  // Whether it is entered: 0 ? 1 forever : 2.
  EXPECT_EQ(deciders({{1, 2}, {1}, {}}), (Sets{{}, {0}, {0}}));
}

}  // namespace
}  // namespace foretrace::lint
