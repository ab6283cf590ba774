#include "lint/locksets.h"

#include <gtest/gtest.h>

namespace foretrace::lint {
namespace {

Path global(const char* name) { return {Path::Root::global, 0, Name(name), {}}; }

class Builder {
 public:
  explicit Builder(const char* usr, size_t blocks = 1) {
    function.usr = Name(usr);
    function.blocks.resize(blocks);
  }
  uint32_t add(size_t block, decltype(Op::what) what) {
    Op op;
    op.id = next_++;
    op.what = std::move(what);
    function.blocks[block].ops.push_back(std::move(op));
    return op.id;
  }
  const std::vector<Held>& held(uint32_t id) const {
    for (const Block& block : function.blocks) {
      for (const Op& op : block.ops) {
        if (op.id == id) return op.held;
      }
    }
    throw std::out_of_range("no such op");
  }
  Function function;

 private:
  uint32_t next_ = 0;
};

void run(std::vector<Builder*> builders) {
  std::unordered_map<Name, Function*> functions;
  for (Builder* builder : builders) functions[builder->function.usr] = &builder->function;
  fill_locksets(functions);
}

TEST(LintLocksets, AcquireAndRelease) {
  Builder f("f");
  const uint32_t before = f.add(0, Join{});
  const uint32_t acquire = f.add(0, Acquire{global("m")});
  const uint32_t inside = f.add(0, Join{});
  f.add(0, Release{global("m")});
  const uint32_t after = f.add(0, Join{});
  run({&f});
  EXPECT_TRUE(f.held(before).empty());
  ASSERT_EQ(f.held(inside).size(), 1U);
  EXPECT_EQ(f.held(inside)[0].acquired_by, acquire);
  EXPECT_TRUE(f.held(after).empty());
}

TEST(LintLocksets, OnlyWhatIsHeldOnAllWays) {
  Builder f("f", 4);
  f.function.blocks[0].next = {1, 2};
  f.function.blocks[1].next = {3};
  f.function.blocks[2].next = {3};
  f.add(0, Acquire{global("both")});
  f.add(1, Acquire{global("one")});
  const uint32_t there = f.add(1, Join{});
  const uint32_t end = f.add(3, Join{});
  run({&f});
  EXPECT_EQ(f.held(there).size(), 2U);
  ASSERT_EQ(f.held(end).size(), 1U);
  EXPECT_EQ(f.held(end)[0].lock, global("both"));
}

// A guard of the user's: the constructor takes what it is given, the destructor gives
// it back.
TEST(LintLocksets, EffectsOfCallees) {
  const Path given{Path::Root::parameter, 0, {}, {{Step::Kind::deref, {}}}};
  Builder lock("lock");
  lock.add(0, Acquire{given});
  Builder unlock("unlock");
  unlock.add(0, Release{given});
  Builder f("f");
  Call call;
  call.arguments.emplace_back();
  call.arguments[0].kind = Value::Kind::address_of;
  call.arguments[0].path = global("m");
  call.callee = Name("lock");
  const uint32_t locking = f.add(0, call);
  const uint32_t inside = f.add(0, Join{});
  call.callee = Name("unlock");
  f.add(0, call);
  const uint32_t after = f.add(0, Join{});
  run({&f, &lock, &unlock});
  ASSERT_EQ(f.held(inside).size(), 1U);
  EXPECT_EQ(f.held(inside)[0].lock, global("m"));
  EXPECT_EQ(f.held(inside)[0].acquired_by, locking);
  EXPECT_TRUE(f.held(after).empty());
}

TEST(LintLocksets, AWaitMakesANewRegion) {
  Builder f("f");
  f.add(0, Acquire{global("m")});
  f.add(0, Release{global("m"), LockKind::mutex, true});
  const uint32_t again = f.add(0, Acquire{global("m"), false, LockKind::mutex, true});
  const uint32_t after = f.add(0, Join{});
  run({&f});
  ASSERT_EQ(f.held(after).size(), 1U);
  EXPECT_EQ(f.held(after)[0].acquired_by, again);
}

// Unlocks and locks again what its caller holds.
TEST(LintLocksets, LocksOfTheCaller) {
  Builder f("f");
  const uint32_t before = f.add(0, Join{});
  f.add(0, Release{global("m")});
  const uint32_t without = f.add(0, Join{});
  f.add(0, Acquire{global("m")});
  run({&f});
  ASSERT_EQ(f.held(before).size(), 1U);
  EXPECT_EQ(f.held(before)[0].acquired_by, kIfCaller);
  EXPECT_TRUE(f.held(without).empty());
}

// Gives m back and takes it again.
Builder pausing() {
  Builder pause("pause");
  pause.add(0, Release{global("m")});
  pause.add(0, Acquire{global("m")});
  return pause;
}

// And the caller's region ends with the call; the next one begins there.
TEST(LintLocksets, ACalleeSplitsTheRegion) {
  Builder pause = pausing();
  Builder f("f");
  f.add(0, Acquire{global("m")});
  Call call;
  call.callee = Name("pause");
  const uint32_t splits = f.add(0, call);
  const uint32_t after = f.add(0, Join{});
  f.add(0, Release{global("m")});
  const uint32_t without = f.add(0, Join{});
  run({&f, &pause});
  ASSERT_EQ(f.held(after).size(), 1U);
  EXPECT_EQ(f.held(after)[0].acquired_by, splits);
  ASSERT_EQ(f.function.given_back.size(), 1U);
  EXPECT_EQ(f.function.given_back[0], std::pair(splits, global("m")));
  EXPECT_TRUE(f.held(without).empty());
}

// The lock may have another name here: then it is not known to be held after the call.
TEST(LintLocksets, WhatACalleeTakesAgainIsHeldIfTheCallerHoldsIt) {
  Builder pause = pausing();
  Builder f("f");
  Call call;
  call.callee = Name("pause");
  f.add(0, call);
  const uint32_t after = f.add(0, Join{});
  run({&f, &pause});
  ASSERT_EQ(f.held(after).size(), 1U);
  EXPECT_TRUE(f.held(after)[0].if_caller);
}

// A function that is declared to need a lock gives back its callers' too.
TEST(LintLocksets, ACalleeThatRequiresTheLockSplitsIt) {
  Builder pause = pausing();
  pause.function.required = {{global("m"), false, LockKind::mutex, kFromCaller}};
  Builder f("f");
  f.add(0, Acquire{global("m")});
  Call call;
  call.callee = Name("pause");
  f.add(0, call);
  f.add(0, Release{global("m")});
  const uint32_t without = f.add(0, Join{});
  run({&f, &pause});
  EXPECT_EQ(f.function.given_back.size(), 1U);
  EXPECT_TRUE(f.held(without).empty());
}

}  // namespace
}  // namespace foretrace::lint
