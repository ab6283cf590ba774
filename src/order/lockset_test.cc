#include "order/lockset.h"

#include <gtest/gtest.h>

namespace foretrace {
namespace {

constexpr HeldLock kA = {0, false};
constexpr HeldLock kB = {1, false};
constexpr HeldLock kSharedA = {0, true};

TEST(LocksetTable, EqualSetsHaveOneNumber) {
  LocksetTable table;
  const LocksetId ab = table.with(table.with(kEmptyLockset, kA), kB);
  const LocksetId ba = table.with(table.with(kEmptyLockset, kB), kA);
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(table.without(table.without(ab, kA), kB), kEmptyLockset);
  EXPECT_EQ(table.of(std::vector{kB, kA}), ab);
  EXPECT_EQ(table.of({}), kEmptyLockset);
  EXPECT_EQ(table.with(ab, kA), ab);
  EXPECT_EQ(table.locks(ab), (std::vector<HeldLock>{kA, kB}));
}

TEST(LocksetTable, IntersectsInAnyOrder) {
  LocksetTable table;
  const LocksetId a = table.with(kEmptyLockset, kA);
  const LocksetId b = table.with(kEmptyLockset, kB);
  const LocksetId ab = table.with(a, kB);
  EXPECT_EQ(table.intersection(ab, b), b);
  EXPECT_EQ(table.intersection(b, ab), b);
  EXPECT_EQ(table.intersection(a, b), kEmptyLockset);
  EXPECT_EQ(table.intersection(ab, ab), ab);
}

TEST(LocksetTable, TellsReadersFromWriters) {
  LocksetTable table;
  const LocksetId shared_a = table.with(kEmptyLockset, kSharedA);
  const LocksetId mixed = table.with(shared_a, kB);
  EXPECT_EQ(table.exclusive_part(mixed), table.with(kEmptyLockset, kB));
  EXPECT_EQ(table.as_exclusive(shared_a), table.with(kEmptyLockset, kA));
  EXPECT_EQ(table.exclusive_part(shared_a), kEmptyLockset);
}

TEST(HeldLocks, FollowsWaits) {
  LocksetTable table;
  HeldLocks held(table);
  held.advance(make_event(7, Op::acq, 0));
  const LocksetId a = held.held(7);
  EXPECT_EQ(table.locks(a), std::vector<HeldLock>{kA});
  held.advance(make_event(7, Op::wait, 0));
  EXPECT_EQ(held.held(7), kEmptyLockset);
  held.resume(make_event(7, Op::rd, 0));
  EXPECT_EQ(held.held(7), a);
  EXPECT_EQ(held.held(3), kEmptyLockset);
}

}  // namespace
}  // namespace foretrace
