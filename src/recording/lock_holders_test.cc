#include "recording/lock_holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kMutex = 0x1000;
constexpr uint64_t kOther = 0x1040;

struct LockHoldersTest : testing::Test {
  LockHolders locks;

  std::vector<LockNumber> held(uint32_t thread) const {
    std::vector<LockNumber> numbers;
    for (const HeldNumber& each : locks.held(thread)) numbers.push_back(each.lock);
    return numbers;
  }
  void lock(uint32_t thread, uint64_t address) { locks.acquire(thread, address, false); }
};

TEST_F(LockHoldersTest, ALockIsHeldUntilItIsGivenBack) {
  EXPECT_THAT(held(1), IsEmpty());
  lock(1, kMutex);
  lock(1, kOther);
  const std::vector<LockNumber> both = held(1);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NE(both[0], both[1]);
  locks.release(1, kMutex);
  EXPECT_THAT(held(1), ElementsAre(both[1]));
  lock(2, kMutex);
  EXPECT_THAT(held(2), ElementsAre(both[0]));
  EXPECT_TRUE(locks.is_sure());
}

TEST_F(LockHoldersTest, ARecursiveLockIsHeldUntilItsLastRelease) {
  lock(1, kMutex);
  lock(1, kMutex);
  locks.release(1, kMutex);
  EXPECT_EQ(held(1).size(), 1U);
  locks.release(1, kMutex);
  EXPECT_THAT(held(1), IsEmpty());
  EXPECT_TRUE(locks.is_sure());
}

TEST_F(LockHoldersTest, ReadersShareALock) {
  locks.acquire(1, kMutex, true);
  locks.acquire(2, kMutex, true);
  EXPECT_EQ(held(1), held(2));
  EXPECT_TRUE(locks.held(1).front().shared);
  EXPECT_TRUE(locks.is_sure());
  lock(3, kMutex);
  EXPECT_FALSE(locks.is_sure());
}

TEST_F(LockHoldersTest, AWaitGivesTheLockBackHoweverOftenItIsHeld) {
  lock(1, kMutex);
  lock(1, kMutex);
  locks.wait(1, kMutex);
  EXPECT_THAT(held(1), IsEmpty());
  lock(2, kMutex);
  locks.release(2, kMutex);
  lock(1, kMutex);
  EXPECT_EQ(held(1).size(), 1U);
  EXPECT_TRUE(locks.is_sure());
}

TEST_F(LockHoldersTest, ALockInPlaceOfAnotherIsAnother) {
  lock(1, kMutex);
  const std::vector<LockNumber> before = held(1);
  locks.release(1, kMutex);
  locks.forget(kMutex - 8, 16);
  lock(1, kMutex);
  EXPECT_NE(held(1), before);
  EXPECT_TRUE(locks.is_sure());
}

TEST_F(LockHoldersTest, ALockThatEndsWhileItIsHeldIsNoLongerTheOneAtItsAddress) {
  lock(1, kMutex);
  locks.forget(kMutex, 1);
  lock(2, kMutex);
  EXPECT_NE(held(1), held(2));
  locks.release(1, kMutex);
  EXPECT_THAT(held(1), IsEmpty());
  lock(3, kMutex);  // that of thread 2
  EXPECT_FALSE(locks.is_sure());
}

TEST_F(LockHoldersTest, WhoIsJoinedHoldsNothing) {
  lock(1, kMutex);
  locks.end_thread(1);
  lock(2, kMutex);
  EXPECT_EQ(held(2).size(), 1U);
  EXPECT_TRUE(locks.is_sure());
}

TEST_F(LockHoldersTest, ARobustMutexHasANewOwner) {
  lock(1, kMutex);
  locks.end_owner(kMutex);
  lock(2, kMutex);
  EXPECT_THAT(held(1), IsEmpty());
  EXPECT_TRUE(locks.is_sure());
}

TEST_F(LockHoldersTest, WhatCannotBeMakesNothingSure) {
  const auto is_sure_after = [](auto records) {
    LockHolders some;
    records(some);
    return some.is_sure();
  };
  EXPECT_FALSE(is_sure_after([](LockHolders& some) {
    some.acquire(1, kMutex, false);
    some.acquire(2, kMutex, false);
  }));
  EXPECT_FALSE(is_sure_after([](LockHolders& some) { some.release(1, kMutex); }));
  EXPECT_FALSE(is_sure_after([](LockHolders& some) { some.wait(1, kMutex); }));
  EXPECT_FALSE(is_sure_after([](LockHolders& some) {
    some.acquire(1, kMutex, true);
    some.wait(1, kMutex);
  }));
  EXPECT_FALSE(is_sure_after([](LockHolders& some) {
    some.acquire(1, kMutex, false);
    some.wait(1, kMutex);
    some.acquire(1, kOther, false);
  }));
  EXPECT_FALSE(is_sure_after([](LockHolders& some) {
    some.acquire(1, kMutex, false);
    some.wait(1, kMutex);
    some.end_thread(1);
  }));
}

}  // namespace
}  // namespace foretrace
