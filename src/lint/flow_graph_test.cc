#include "lint/flow_graph.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

// Two ops in each block, 10 * block and 10 * block + 1.
Function with_blocks(const std::vector<std::vector<uint32_t>>& next) {
  Function function;
  for (uint32_t number = 0; number < next.size(); ++number) {
    Block& block = function.blocks.emplace_back();
    block.next = next[number];
    block.ops.resize(2);
    block.ops[0].id = 10 * number;
    block.ops[1].id = 10 * number + 1;
  }
  return function;
}

TEST(FlowGraph, OrderInABlock) {
  const Function straight = with_blocks({{1}, {}});
  const FlowGraph graph(straight);
  EXPECT_TRUE(graph.always_before(0, 1));
  EXPECT_FALSE(graph.always_before(1, 0));
  EXPECT_TRUE(graph.always_before(1, 10));
  const Function loop = with_blocks({{0, 1}, {}});
  EXPECT_FALSE(FlowGraph(loop).always_before(0, 1));
}

TEST(FlowGraph, ABranchThatGoesAroundIt) {
  Function function = with_blocks({{1, 2}, {3}, {3}, {}});
  EXPECT_FALSE(FlowGraph(function).always_before(0, 10));
  EXPECT_FALSE(FlowGraph(function).always_done(10));
  EXPECT_TRUE(FlowGraph(function).always_done(30));
  EXPECT_TRUE(FlowGraph(function).always_before(20, 30));
  // An exception is no way around.
  function.blocks[2].next = {};
  function.blocks[2].throws = true;
  EXPECT_TRUE(FlowGraph(function).always_before(0, 10));
}

TEST(FlowGraph, OnlyThrough) {
  // 0 -> loop of 1 and 2 -> 3; 4 is come to past the loop.
  const Function function = with_blocks({{1, 4}, {2, 3}, {1}, {4}, {}});
  EXPECT_EQ(FlowGraph(function).only_through({false, true, true, false, false}),
            (std::vector<bool>{false, false, false, true, false}));
}

}  // namespace
}  // namespace foretrace::lint
