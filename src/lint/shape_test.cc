#include "lint/shape.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

using testing::ElementsAre;

const Path kLock = {Path::Root::global, 0, Name("m"), {}};

// Ops get their ids in the order in which they are made.
class Builder {
 public:
  Op access(bool held) { return make(Access(), held); }
  Op acquire(bool by_wait = false) {
    return make(Acquire{kLock, false, LockKind::mutex, by_wait}, false);
  }
  Op release(bool by_wait = false) { return make(Release{kLock, LockKind::mutex, by_wait}, true); }

 private:
  Op make(decltype(Op::what) what, bool held) {
    Op op;
    op.id = next_++;
    op.what = std::move(what);
    if (held) op.held = {{kLock, false, LockKind::mutex, 0}};
    return op;
  }
  uint32_t next_ = 0;
};

Block block(std::vector<Op> ops, std::vector<uint32_t> next,
            std::vector<uint32_t> controlled_by = {}) {
  Block made;
  made.ops = std::move(ops);
  made.next = std::move(next);
  made.controlled_by = std::move(controlled_by);
  return made;
}

TEST(FunctionShape, UnlockAndLockSplitARegion) {
  Builder b;
  Function function;
  function.blocks = {block({b.acquire(), b.access(true), b.release(), b.access(false), b.acquire(),
                            b.access(true), b.release()},
                           {})};
  const FunctionShape shape(function);
  ASSERT_EQ(shape.regions().size(), 2U);
  EXPECT_THAT(shape.regions()[0].ops, ElementsAre(1U));
  EXPECT_THAT(shape.regions()[1].ops, ElementsAre(5U));
  ASSERT_EQ(shape.regions()[0].exits.size(), 1U);
  EXPECT_EQ(shape.regions()[0].exits[0].release, 2U);
}

// lock; read; if (…) wait; write; unlock: the write is in both regions, but what comes
// before the wait is only what can come before it.
TEST(FunctionShape, AWaitInAnIf) {
  Builder b;
  Function function;
  function.blocks = {block({b.acquire(), b.access(true)}, {1, 2}),
                     block({b.release(true), b.acquire(true)}, {2}, {0}),
                     block({b.access(true), b.release()}, {})};
  const FunctionShape shape(function);
  ASSERT_EQ(shape.regions().size(), 2U);
  const LockRegion& first = shape.regions()[0];
  EXPECT_THAT(first.ops, ElementsAre(1U, 4U));
  ASSERT_EQ(first.exits.size(), 2U);
  std::map<uint32_t, std::vector<uint32_t>> by_release;
  for (const LockRegion::Exit& exit : first.exits) by_release[exit.release] = exit.ops;
  EXPECT_THAT(by_release[2], ElementsAre(1U));
  EXPECT_THAT(by_release[5], ElementsAre(1U, 4U));
  EXPECT_TRUE(shape.regions()[1].by_wait);
  EXPECT_THAT(shape.regions()[1].ops, ElementsAre(4U));
}

TEST(FunctionShape, WhatMustBePassed) {
  Builder b;
  Function function;
  function.blocks = {block({b.access(false)}, {1, 3}), block({b.access(false)}, {2, 3}, {0}),
                     block({b.access(false)}, {3}, {0, 1}), block({b.access(false)}, {})};
  const FunctionShape shape(function);
  EXPECT_TRUE(shape.must_pass(0, 2, 1));
  EXPECT_FALSE(shape.must_pass(0, 3, 1));
}

TEST(FunctionShape, ACheckThatOnlyComplains) {
  Builder b;
  Function function;
  function.blocks = {block({}, {1, 2}), block({}, {3}, {0}), block({b.access(false)}, {3}, {0}),
                     block({}, {})};
  EXPECT_FALSE(FunctionShape(function).complains(0));
  function.blocks[1].throws = true;
  EXPECT_TRUE(FunctionShape(function).complains(0));
}

}  // namespace
}  // namespace foretrace::lint
