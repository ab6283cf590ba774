#include "recording/memory_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace foretrace {

bool operator==(const MemoryPiece& a, const MemoryPiece& b) {
  return a.address == b.address && a.since == b.since && a.bytes == b.bytes;
}
std::ostream& operator<<(std::ostream& out, const MemoryPiece& piece) {
  return out << piece.bytes << " at " << piece.address << " since " << piece.since;
}

namespace {

using recording::Kind;
using recording::Record;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr uint64_t kX = 0x10000;
constexpr uint64_t kFlag = 0x20000;
constexpr uint64_t kBarrier = 0x30000;

struct MemorySurveyTest : testing::Test {
  MemorySurvey survey{false};

  void add(uint32_t thread, Kind kind, uint64_t address, uint32_t bytes = 8) {
    survey.add(thread, Record::make(kind, address, bytes, 0, 0));
  }
  void range(uint32_t thread, Kind kind, uint64_t address, uint32_t bytes) {
    survey.add(thread, Record::make(kind, address, 0, 0, bytes));
  }
  void allocate(uint32_t thread, uint64_t address, uint64_t bytes) {
    add(thread, Kind::operand, bytes, 0);
    add(thread, Kind::alloc, address, 0);
  }
};

TEST_F(MemorySurveyTest, WhatOneThreadUsesDoesNotMatter) {
  add(0, Kind::write, kX);
  add(0, Kind::read, kX, 4);
  EXPECT_THAT(survey.take_pieces(), IsEmpty());
}

TEST_F(MemorySurveyTest, UnorderedWritesMatter) {
  add(1, Kind::write, kX);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 0, 8}));
}

TEST_F(MemorySurveyTest, ReadsOfOneWriteDoNotClash) {
  add(0, Kind::write, kX);
  add(0, Kind::thread_create, 1, 0);
  add(0, Kind::thread_create, 2, 0);
  add(1, Kind::read, kX);
  add(2, Kind::read, kX);
  add(0, Kind::thread_join, 1, 0);
  add(0, Kind::thread_join, 2, 0);
  add(0, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), IsEmpty());
}

TEST_F(MemorySurveyTest, AWriteMustBeAfterAllReads) {
  add(0, Kind::thread_create, 1, 0);
  add(0, Kind::thread_create, 2, 0);
  add(1, Kind::read, kX);
  add(2, Kind::read, kX);
  add(0, Kind::thread_join, 2, 0);
  add(0, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 0, 8}));
}

TEST_F(MemorySurveyTest, LocksOrderNothing) {
  for (const uint32_t thread : {1U, 2U}) {
    add(thread, Kind::lock, kFlag, 0);
    add(thread, Kind::write, kX);
    add(thread, Kind::unlock, kFlag, 0);
  }
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 0, 8}));
}

TEST_F(MemorySurveyTest, BarriersOrder) {
  add(1, Kind::write, kX);
  add(1, Kind::barrier, kBarrier, 0);
  add(2, Kind::barrier, kBarrier, 0);
  add(1, Kind::stamp, 0, 0);
  add(2, Kind::stamp, 0, 0);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), IsEmpty());
}

TEST_F(MemorySurveyTest, AnAtomicWriteOrdersThoseWhoSawIt) {
  add(1, Kind::write, kX);
  add(1, Kind::atomic_write, kFlag);
  add(2, Kind::atomic_read, kFlag);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kFlag, 0, 8}));
}

// The first write can come after the read in another schedule.
TEST_F(MemorySurveyTest, AnAtomicWriteThatNobodySawOrdersNothing) {
  add(1, Kind::write, kX);
  add(1, Kind::atomic_write, kFlag);
  add(3, Kind::atomic_write, kFlag);
  add(2, Kind::atomic_read, kFlag);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 8}, MemoryPiece{kFlag, 0, 8}));
}

TEST_F(MemorySurveyTest, RelaxedOperationsOrderNothing) {
  add(1, Kind::write, kX);
  add(1, Kind::relaxed_write, kFlag);
  add(2, Kind::relaxed_read, kFlag);
  add(2, Kind::atomic_read, kFlag);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 8}, MemoryPiece{kFlag, 0, 8}));
  EXPECT_FALSE(survey.traits().has_fences);
}

TEST_F(MemorySurveyTest, RelaxedUpdatesHandOnWhatTheySaw) {
  add(1, Kind::write, kX);
  add(1, Kind::atomic_write, kFlag);
  add(3, Kind::relaxed_update, kFlag);
  add(2, Kind::atomic_read, kFlag);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kFlag, 0, 8}));
}

TEST_F(MemorySurveyTest, FencesAreNoted) {
  add(1, Kind::fence, 0, 0);
  EXPECT_TRUE(survey.traits().has_fences);
}

// With a site it is code with hooks that gives it back.
TEST_F(MemorySurveyTest, WhatIsGivenBackIsWritten) {
  for (const uint32_t site : {0U, 1U}) {
    MemorySurvey one(false);
    one.add(0, Record::make(Kind::operand, 16, 0, 0, 0));
    one.add(0, Record::make(Kind::alloc, kX, 0, 0, 0));
    one.add(1, Record::make(Kind::read, kX, 8, 0, 0));
    one.add(2, Record::make(Kind::free, kX, 0, site, 0));
    if (site == 0) {
      EXPECT_THAT(one.take_pieces(), IsEmpty());
    } else {
      EXPECT_THAT(one.take_pieces(), ElementsAre(MemoryPiece{kX, 1, 8}));
    }
  }
}

// Until the memory is handed out again it is the same.
TEST_F(MemorySurveyTest, WhatIsUsedTooLateIsOfTheBlockThatWas) {
  allocate(0, kX, 16);
  add(1, Kind::write, kX);
  survey.add(1, Record::make(Kind::free, kX, 0, 1, 0));
  add(2, Kind::read, kX);
  allocate(3, kX, 16);
  add(3, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 1, 8}));
}

TEST_F(MemorySurveyTest, APlainWriteHidesAnAtomicOne) {
  add(1, Kind::write, kX);
  add(1, Kind::atomic_write, kFlag);
  add(3, Kind::write, kFlag, 4);
  add(2, Kind::atomic_read, kFlag);
  add(2, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 8}, MemoryPiece{kFlag, 0, 4},
                                   MemoryPiece{kFlag + 4, 0, 4}));
}

TEST_F(MemorySurveyTest, WhatIsAlwaysAccessedAsAWholeIsOnePiece) {
  range(1, Kind::write_range, kX, 512);
  range(2, Kind::read_range, kX, 512);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 0, 512}));
}

TEST_F(MemorySurveyTest, WholePagesAreDividedByWhatComesLater) {
  for (const uint32_t thread : {1U, 2U}) {
    range(thread, Kind::write_range, kX, 2 * kSurveyPage);
  }
  add(1, Kind::write, kX + 2);
  EXPECT_THAT(survey.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 2}, MemoryPiece{kX + 2, 0, 8},
                                   MemoryPiece{kX + 10, 0, kSurveyPage - 10},
                                   MemoryPiece{kX + kSurveyPage, 0, kSurveyPage}));
}

TEST_F(MemorySurveyTest, ElementsWithoutBytesAreNowhere) {
  const Record elements =
      Record::make(Kind::write_strided, kX, 0, 0, Record::strided(Record::kMostElements, 1));
  for (const uint32_t thread : {1U, 2U}) survey.add(thread, elements);
  EXPECT_THAT(survey.take_pieces(), IsEmpty());
  EXPECT_FALSE(survey.damaged());
}

TEST_F(MemorySurveyTest, NoRangeIsLongerThanTheRuntimeWritesIt) {
  range(1, Kind::write_range, kX, Record::kMostRange);
  EXPECT_FALSE(survey.damaged());
  range(2, Kind::read_range, kX, Record::kMostRange + 1);
  EXPECT_EQ(survey.damaged(), 2);
}

// Also by accesses that came before anything clashed.
TEST_F(MemorySurveyTest, EachAccessIsOfWholePieces) {
  add(1, Kind::write, kX + 2, 1);
  range(1, Kind::write_range, kX, 8);
  range(2, Kind::read_range, kX, 16);
  EXPECT_THAT(survey.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 2}, MemoryPiece{kX + 2, 0, 1},
                                   MemoryPiece{kX + 3, 0, 5}));
}

TEST_F(MemorySurveyTest, MemoryThatIsAllocatedAgainIsNew) {
  allocate(1, kX, 8);
  add(1, Kind::write, kX);
  add(1, Kind::free, kX, 0);
  allocate(2, kX, 8);
  add(2, Kind::write, kX);
  add(2, Kind::free, kX, 0);
  allocate(3, kX, 8);
  add(3, Kind::write, kX);
  add(4, Kind::write, kX);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 5, 8}));
}

TEST_F(MemorySurveyTest, NoPieceIsOfABlockAndOfWhatWasThereBefore) {
  MemorySurvey all(true);
  all.add(1, Record::make(Kind::write_range, kX, 0, 0, 32));
  all.add(1, Record::make(Kind::alloc, kX, 0, 0, 16));
  all.add(2, Record::make(Kind::read_range, kX + 8, 0, 0, 16));
  EXPECT_THAT(all.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 16}, MemoryPiece{kX + 8, 1, 8},
                                   MemoryPiece{kX + 16, 0, 8}, MemoryPiece{kX + 24, 0, 8}));
}

TEST_F(MemorySurveyTest, ASetIsAPieceOfItsOwn) {
  range(1, Kind::write_range, kX, 64);
  add(1, Kind::operand, 16, 0);
  add(1, Kind::atomic_set, kX + 16, 0);
  for (const uint32_t thread : {1U, 2U}) range(thread, Kind::write_range, kX, 64);
  EXPECT_THAT(survey.take_pieces(),
              UnorderedElementsAre(MemoryPiece{kX, 0, 16}, MemoryPiece{kX + 16, 1, 16},
                                   MemoryPiece{kX + 32, 0, 32}));
}

// A set that another begins in is still one in front of it and behind it.
TEST_F(MemorySurveyTest, WhatIsLeftOfASetHasItsTime) {
  for (const auto& [bytes, address] : {std::pair{32, kX}, std::pair{8, kX + 8}}) {
    add(1, Kind::operand, static_cast<uint64_t>(bytes), 0);
    add(1, Kind::atomic_set, address, 0);
  }
  add(1, Kind::write, kX + 16);
  add(2, Kind::write, kX + 16);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX + 16, 1, 8}));
}

TEST_F(MemorySurveyTest, ABlockOfNoBytesIsOneOfAWord) {
  allocate(1, kX, 64);
  for (const uint32_t thread : {1U, 2U}) add(thread, Kind::write, kX + 16);
  allocate(1, kX + 16, 0);
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX + 16, 1, 8}));
}

TEST(MemoryPieces, AreThereFromTheirPointOnUntilForgotten) {
  LocationId next = 0;
  MemoryPieces pieces({{kX, 0, 4}, {kX + 4, 0, 4}, {kX, 2, 8}},
                      [&](uint64_t, uint64_t) { return next++; });
  EXPECT_THAT(pieces.locate(kX, 8), ElementsAre(0, 1));
  EXPECT_THAT(pieces.locate(kX + 4, 4), ElementsAre(1));
  pieces.forget(kX, 8);
  EXPECT_THAT(pieces.locate(kX, 8), IsEmpty());
  pieces.forget(kX + 64, 8);
  EXPECT_THAT(pieces.locate(kX, 8), ElementsAre(2));
}

// ---- whether something may race

struct MayRaceTest : MemorySurveyTest {
  MayRaceTest() {
    add(0, Kind::thread_create, 1, 0);
    add(0, Kind::thread_create, 2, 0);
  }
  void under(uint64_t lock, uint32_t thread, Kind kind, Kind taken = Kind::lock) {
    add(thread, taken, lock, 0);
    add(thread, kind, kX);
    add(thread, Kind::unlock, lock, 0);
  }
  static constexpr uint64_t kMutex = 0x40000;
  static constexpr uint64_t kOther = 0x40040;
};

TEST_F(MayRaceTest, WhatIsUnderOneLockDoesNotThoughItsOrderCounts) {
  for (const uint32_t thread : {1U, 2U, 1U, 0U}) under(kMutex, thread, Kind::write);
  EXPECT_FALSE(survey.may_race());
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 0, 8}));
}

TEST_F(MayRaceTest, WhatIsUnderTwoLocksDoes) {
  under(kMutex, 1, Kind::write);
  under(kOther, 2, Kind::write);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, OneLockMustBeCommonToAll) {
  // Each two of them have one in common.
  add(1, Kind::lock, kMutex, 0);
  under(kOther, 1, Kind::write);
  add(1, Kind::unlock, kMutex, 0);
  under(kOther, 2, Kind::write);
  EXPECT_FALSE(survey.may_race());
  under(kMutex, 0, Kind::read);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, WhatComesBeforeTheThreadsAndBehindThemNeedsNoLock) {
  add(0, Kind::write, kX + 8);
  add(0, Kind::write, kX);
  add(0, Kind::thread_create, 3, 0);
  add(0, Kind::thread_create, 4, 0);
  under(kMutex, 3, Kind::write);
  under(kMutex, 4, Kind::write);
  add(0, Kind::thread_join, 3, 0);
  add(0, Kind::thread_join, 4, 0);
  add(0, Kind::read, kX);
  add(0, Kind::write, kX);
  EXPECT_FALSE(survey.may_race());
}

TEST_F(MayRaceTest, AReadWithoutTheLockDoes) {
  under(kMutex, 1, Kind::write);
  add(2, Kind::read, kX);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, AWriteUnderTheLockRacesWithAReadWithoutItThatCameFirst) {
  add(2, Kind::read, kX);
  under(kMutex, 1, Kind::write);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, ReadersLocksExcludeWriters) {
  under(kMutex, 1, Kind::read, Kind::lock_shared);
  under(kMutex, 2, Kind::read, Kind::lock_shared);
  under(kMutex, 0, Kind::write);
  EXPECT_FALSE(survey.may_race());
}

TEST_F(MayRaceTest, ReadersLocksDoNotExcludeEachOther) {
  under(kMutex, 1, Kind::read, Kind::lock_shared);
  under(kMutex, 2, Kind::write, Kind::lock_shared);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, ALockThatTookTheOthersPlaceExcludesNothing) {
  under(kMutex, 1, Kind::write);
  add(0, Kind::lock_gone, kMutex, 0);
  under(kMutex, 2, Kind::write);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, NothingIsExcludedDuringAWait) {
  add(1, Kind::lock, kMutex, 0);
  add(1, Kind::write, kX);
  add(1, Kind::cond_wait, kMutex, 0);
  under(kMutex, 2, Kind::write);
  EXPECT_FALSE(survey.may_race());
  add(1, Kind::write, kX);  // by a handler of a signal, say
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, AtomicOperationsDoNotButWithPlainAccesses) {
  add(0, Kind::write, kX);
  add(0, Kind::thread_create, 3, 0);
  add(3, Kind::atomic_update, kX);
  add(0, Kind::atomic_update, kX);
  EXPECT_FALSE(survey.may_race());
  EXPECT_THAT(survey.take_pieces(), ElementsAre(MemoryPiece{kX, 0, 8}));
}

TEST_F(MayRaceTest, APlainReadRacesWithAnAtomicWrite) {
  add(1, Kind::atomic_write, kX);
  add(2, Kind::read, kX);
  EXPECT_TRUE(survey.may_race());
}

TEST_F(MayRaceTest, ALockThatAnotherHoldsSaysNothing) {
  add(1, Kind::lock, kMutex, 0);
  EXPECT_FALSE(survey.may_race());
  add(2, Kind::lock, kMutex, 0);
  EXPECT_TRUE(survey.may_race());
}

}  // namespace
}  // namespace foretrace
