#include "recording/process_events.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "property/recorded_process.h"

namespace foretrace::testing {
namespace {

using recording::Kind;
using recording::Record;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr uint64_t kX = 0x10000;

ThreadRecord access(uint32_t thread, Kind kind, uint64_t address, uint32_t bytes = 8) {
  return {thread, Record::make(kind, address, bytes, 1, 0)};
}
ThreadRecord allocation(uint32_t thread, uint64_t address, uint32_t bytes) {
  return {thread, Record::make(Kind::alloc, address, 0, 1, bytes)};
}
ThreadRecord end_of_block(uint32_t thread, uint64_t address) {
  return {thread, Record::make(Kind::free, address, 0, 1, 0)};
}

// ---- waits

// In a trace a thread does nothing while it waits.
TEST(ProcessEvents, AWaitThatAHandlerInterruptsIsAReleaseAndAnAcquire) {
  constexpr uint64_t kLock = 0x20000;
  constexpr uint64_t kSemaphore = 0x30000;
  const auto of_lock = [](Kind kind, uint32_t stamp) {
    ThreadRecord one = {0, Record::make(kind, kLock, 0, 1, stamp)};
    one.record.head |= Record::kStamped;
    return one;
  };
  for (const bool is_interrupted : {false, true}) {
    std::vector<ThreadRecord> records = {of_lock(Kind::lock, 1), of_lock(Kind::cond_wait, 2)};
    if (is_interrupted) records.push_back(access(0, Kind::atomic_update, kSemaphore, 4));
    records.push_back(of_lock(Kind::lock, 4));
    records.push_back(of_lock(Kind::unlock, 5));
    RecordedProcess process(records, true);
    std::vector<Op> ops;
    for (const std::vector<Event>& of_record : process.events()) {
      for (const Event& event : of_record) ops.push_back(event.op());
    }
    if (is_interrupted) {
      EXPECT_THAT(ops, ElementsAre(Op::acq, Op::rel, Op::vrmw, Op::acq, Op::rel));
    } else {
      EXPECT_THAT(ops, ElementsAre(Op::acq, Op::wait, Op::acq, Op::rel));
    }
    EXPECT_EQ(process.left_out(), 0);
  }
}

// ---- threads

// They need no memory for those that could be between them, which would be more than there is.
TEST(ProcessEvents, ThreadsHaveAnyNumbers) {
  constexpr uint32_t kLast = UINT32_MAX;
  RecordedProcess process({{0, Record::make(Kind::thread_create, kLast, 0, 1, 0)},
                           {kLast, Record::make(Kind::lock, kX, 0, 1, 0)},
                           {0, Record::make(Kind::thread_join, kLast, 0, 1, 0)}},
                          false);
  const std::vector<std::vector<Event>> events = process.events();
  ASSERT_THAT(events[0], SizeIs(1));
  EXPECT_EQ(events[0][0].op(), Op::fork);
  EXPECT_EQ(events[0][0].object, 1);
  ASSERT_THAT(events[1], SizeIs(1));
  EXPECT_EQ(events[1][0].thread, 1);
  EXPECT_THAT(events[2], SizeIs(2));  // it holds the lock no more
  EXPECT_EQ(process.symbols().thread(1), "T4294967295");
}

TEST(ProcessEvents, ACreationThatCannotBeIsLeftOut) {
  const auto creation = [](uint32_t thread, uint64_t child) {
    return ThreadRecord{thread, Record::make(Kind::thread_create, child, 0, 1, 0)};
  };
  const ThreadRecord joining = {0, Record::make(Kind::thread_join, 3, 0, 1, 0)};
  RecordedProcess process(
      {
          creation(0, 1),
          creation(0, 0),  // its own
          creation(0, 1),  // created already
          {2, Record::make(Kind::lock, kX, 0, 1, 0)},
          creation(0, 2),  // has done something
          joining,
          creation(0, 3),  // is over
      },
      false);
  std::vector<size_t> counts;
  for (const std::vector<Event>& events : process.events()) counts.push_back(events.size());
  EXPECT_THAT(counts, ElementsAre(1, 0, 0, 1, 0, 1, 0));
  EXPECT_EQ(process.left_out(), 4);
}

// ---- memory

TEST(ProcessEvents, TheRestOfABlocksLastWordIsNewWithIt) {
  std::vector<ThreadRecord> records;
  for (uint32_t thread = 1; thread <= 3; ++thread) {
    records.push_back(allocation(thread, kX, 13));
    records.push_back(access(thread, Kind::write, kX + 13, 1));
    records.push_back(end_of_block(thread, kX));
  }
  RecordedProcess process(records, true);
  const std::vector<std::vector<Event>> events = process.events();
  std::set<LocationId> locations;
  for (const size_t write : {1U, 4U, 7U}) {
    ASSERT_THAT(events[write], SizeIs(1));
    locations.insert(events[write][0].object);
  }
  EXPECT_THAT(locations, SizeIs(3));
}

// The block is much larger than all memory that is used.
TEST(ProcessEvents, TheEndOfABlockIsAWriteOfEachUsedLocationInOrder) {
  std::vector<ThreadRecord> records = {
      {0, Record::make(Kind::operand, uint64_t{1} << 47, 0, 0, 0)},
      allocation(0, kX, 0),
  };
  for (const uint64_t page : {3U, 1U, 2U, 0U}) {
    records.push_back(access(0, Kind::write, kX + page * kSurveyPage));
  }
  records.push_back(end_of_block(1, kX));
  RecordedProcess process(records, true);
  const std::vector<Event> last = process.events().back();
  std::vector<LocationId> locations;
  for (const Event& event : last) locations.push_back(event.object);
  EXPECT_THAT(locations, ElementsAre(3, 1, 2, 0));  // numbered as they were accessed
}

}  // namespace
}  // namespace foretrace::testing
