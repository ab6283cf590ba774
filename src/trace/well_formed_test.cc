#include "trace/well_formed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Checked {
  std::string error;
  std::vector<std::string> events;   // with "skip" for those that mean nothing
  std::vector<std::string> resumes;  // the events that resume their thread
  std::vector<std::string> notes;
  uint64_t reentrant = 0;
  uint64_t dropped = 0;
};

Checked check(const std::string& tiddle, const WellFormedOptions& options = {}) {
  RawTrace raw = read_raw(tiddle, "tiddle");
  EXPECT_EQ(raw.error, "");
  EventBuffer buffer;
  buffer.events = raw.events;
  buffer.big_values = raw.big_values;
  buffer.lines = raw.lines;
  WellFormed checker(*raw.symbols, "a.tiddle", options);
  Checked checked;
  if (const Result<void> done = checker.check(buffer); !done) checked.error = done.error().message;
  for (const Event& event : buffer.events) {
    const bool skip = event.op() == Op::skip;
    checked.events.push_back(skip ? "skip" : event_text(buffer.batch(), event, *raw.symbols));
    if (event.resumes != 0) checked.resumes.push_back(checked.events.back());
  }
  checked.notes = checker.notes();
  checked.reentrant = checker.reentrant_count();
  checked.dropped = checker.dropped_count();
  return checked;
}

const WellFormedOptions kLenient = {.lenient = true};

// Each trace has one fault, in its last line. It is refused with the place and
// the reason; leniently, just that event is dropped.
struct Faulty {
  std::string name;
  std::string tiddle;
  std::string reason;
  std::string kind;
};

void PrintTo(const Faulty& faulty, std::ostream* out) { *out << faulty.reason; }

class Faults : public ::testing::TestWithParam<Faulty> {};

TEST_P(Faults, AreRefused) {
  const auto line = std::count(GetParam().tiddle.begin(), GetParam().tiddle.end(), '\n');
  const std::string error = check(GetParam().tiddle).error;
  EXPECT_THAT(error,
              ::testing::StartsWith(fmt::format("a.tiddle:{}: {}; ", line, GetParam().reason)));
  EXPECT_THAT(error, HasSubstr("--lenient drops"));
}

TEST_P(Faults, AreDropped) {
  const Checked checked = check(GetParam().tiddle + "wr 9 x\n", kLenient);
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.dropped, 1U);
  ASSERT_GE(checked.events.size(), 2U);
  EXPECT_EQ(checked.events[checked.events.size() - 2], "skip");
  EXPECT_EQ(checked.events.back(), "wr 9 x");
  const auto line = std::count(GetParam().tiddle.begin(), GetParam().tiddle.end(), '\n');
  EXPECT_THAT(checked.notes,
              ElementsAre(fmt::format("a.tiddle:{}: dropped: {}", line, GetParam().reason),
                          fmt::format("a.tiddle: 1 event dropped in all: 1 {}", GetParam().kind)));
}

INSTANTIATE_TEST_SUITE_P(
    WellFormed, Faults,
    ::testing::Values(
        Faulty{"ReleaseWithoutAcquire", "rel 1 l\n",
               "thread 1 releases lock l, which it does not hold", "release without acquire"},
        Faulty{"ReleaseByAnother", "acq 1 l\nrel 2 l\n",
               "thread 2 releases lock l, which it does not hold", "release without acquire"},
        Faulty{"ReaderReleaseOfWriter", "acq 1 l\nrrel 1 l\n",
               "thread 1 releases lock l, which it does not hold for reading",
               "release without acquire"},
        Faulty{"ReleaseOfReader", "racq 1 l\nrel 1 l\n",
               "thread 1 releases lock l, which it does not hold", "release without acquire"},
        Faulty{"AcquireOfHeld", "acq 1 l\nacq 2 l\n",
               "thread 2 acquires lock l, which thread 1 holds", "acquire of a held lock"},
        Faulty{"ReaderAcquireOfHeld", "acq 1 l\nracq 2 l\n",
               "thread 2 acquires lock l, which thread 1 holds", "acquire of a held lock"},
        Faulty{"AcquireOfRead", "racq 1 l\nracq 2 l\nacq 3 l\n",
               "thread 3 acquires lock l, which 2 readers holds", "acquire of a held lock"},
        Faulty{"Upgrade", "racq 1 l\nacq 1 l\n",
               "thread 1 acquires lock l for writing while it holds it for reading",
               "acquire of a held lock"},
        Faulty{"ResumeOfHeld", "acq 1 l\nwait 1 l\nacq 2 l\nwr 1 x\n",
               "thread 1 goes on after its wait on lock l, which thread 2 holds",
               "acquire of a held lock"},
        Faulty{"BadNesting", "acq 1 l\nacq 1 m\nrel 1 l\n",
               "thread 1 releases lock l before lock m, which it acquired later",
               "badly nested lock"},
        Faulty{"ForkAfterEvents", "wr 2 x\nfork 1 2\n",
               "thread 2 is forked, but has events before (first: event 0)",
               "event before the fork"},
        Faulty{"SecondFork", "fork 1 2\nfork 1 2\n", "thread 2 is forked a second time",
               "event before the fork"},
        Faulty{"ForkOfItself", "fork 1 1\n", "thread 1 forks itself", "event before the fork"},
        Faulty{"ForkAfterJoin", "join 1 3\nfork 1 3\n", "thread 3 is forked after it was joined",
               "event before the fork"},
        Faulty{"AfterJoin", "wr 2 x\njoin 1 2\nwr 2 x\n",
               "thread 2 has an event after it was joined", "event after the join"},
        Faulty{"JoinOfHolder", "acq 2 l\njoin 1 2\n",
               "thread 2 is joined while it still holds lock l", "join of a running thread"},
        Faulty{"JoinOfWaiter", "acq 2 l\nwait 2 l\njoin 1 2\n",
               "thread 2 is joined while it still waits on lock l", "join of a running thread"},
        Faulty{"JoinInsideUnit", "beg 2 a\njoin 1 2\n",
               "thread 2 is joined while it still is inside unit a", "join of a running thread"},
        Faulty{"JoinOfItself", "join 1 1\n", "thread 1 joins itself", "join of a running thread"},
        Faulty{"EndWithoutBegin", "end 1 a\n", "thread 1 ends unit a, but is inside none",
               "unbalanced unit"},
        Faulty{"EndOfAnother", "beg 1 a\nbeg 1 b\nend 1 a\n",
               "thread 1 ends unit a, but its innermost one is b", "unbalanced unit"},
        Faulty{"WrongValue", "wr 1 x 5\nrd 2 x 6\n",
               "thread 2 reads 6 from x, but the last write gave it 5",
               "value that contradicts the last write"},
        Faulty{"WrongInitialValue", "rd 2 x 6\n",
               "thread 2 reads 6 from x, but nothing was written and it starts as 0",
               "value that contradicts the last write"},
        Faulty{"WrongVolatileValue", "vwr 1 v 9223372036854775807\nvrd 2 v 6\n",
               "thread 2 reads 6 from v, but the last write gave it 9223372036854775807",
               "value that contradicts the last write"},
        Faulty{"WaitWithoutLock", "wait 1 l\n", "thread 1 waits on lock l, which it does not hold",
               "wait without the lock"},
        Faulty{"WaitWithReaderLock", "racq 1 l\nwait 1 l\n",
               "thread 1 waits on lock l, which it does not hold", "wait without the lock"}),
    [](const auto& tested) { return tested.param.name; });

TEST(WellFormed, AcceptsWhatProgramsDo) {
  EXPECT_EQ(check("fork 1 2\nacq 2 l\nracq 1 m\nracq 2 m\nrrel 2 m\nrel 2 l\nrrel 1 m\n"
                  "beg 1 a\nbeg 1 a\nend 1 a\nend 1 a\njoin 1 2\nwr 1 x 1\nrd 1 x 1\nrd 1 y 0\n"
                  "wr 1 x\nrd 1 x 7\nvrmw 1 v 3\nvrd 1 v 4\nacq 3 l\n")
                .error,
            "");
}

TEST(WellFormed, UnnestedLocksCanBeAccepted) {
  const std::string overlapping = "acq 1 l\nacq 1 m\nrel 1 l\nrel 1 m\n";
  EXPECT_THAT(check(overlapping).error, HasSubstr("--unnested accepts such locks"));
  EXPECT_EQ(check(overlapping, {.unnested = true}).error, "");
  // Dropping one release drops what contradicts it then: the lock stays held.
  const Checked lenient = check(overlapping + "acq 2 l\n", kLenient);
  EXPECT_THAT(lenient.events, ElementsAre("acq 1 l", "acq 1 m", "skip", "rel 1 m", "skip"));
}

TEST(WellFormed, FiltersReentrantAcquires) {
  const Checked checked = check(
      "acq 1 l\nacq 1 l\nracq 2 m\nracq 2 m\nrel 1 l\nrrel 2 m\nrrel 2 m\nrel 1 l\nacq 2 l\n");
  EXPECT_EQ(checked.error, "");
  EXPECT_THAT(checked.events, ElementsAre("acq 1 l", "skip", "racq 2 m", "skip", "skip", "skip",
                                          "rrel 2 m", "rel 1 l", "acq 2 l"));
  EXPECT_EQ(checked.reentrant, 4U);
  EXPECT_THAT(checked.notes, ElementsAre("a.tiddle: 4 re-entrant acquires and releases filtered"));
}

TEST(WellFormed, AWaitGetsItsLockBackWithTheNextEvent) {
  const Checked checked = check("acq 1 l\nwait 1 l\nacq 2 l\nrel 2 l\nwr 1 x\nrel 1 l\nacq 2 l\n");
  EXPECT_EQ(checked.error, "");
  EXPECT_THAT(checked.resumes, ElementsAre("wr 1 x"));
  // The lock is held again, so nobody else gets it.
  EXPECT_THAT(check("acq 1 l\nwait 1 l\nwr 1 x\nacq 2 l\n").error,
              HasSubstr("which thread 1 holds"));
}

TEST(WellFormed, AWaitMayGetItsLockBackWithAnAcquire) {
  const Checked checked = check("acq 1 l\nwait 1 l\nacq 1 l\nrel 1 l\nacq 2 l\n");
  EXPECT_EQ(checked.error, "");
  EXPECT_EQ(checked.reentrant, 0U);
  EXPECT_THAT(checked.events, ElementsAre("acq 1 l", "wait 1 l", "acq 1 l", "rel 1 l", "acq 2 l"));
  EXPECT_THAT(checked.resumes, ElementsAre("acq 1 l"));
}

TEST(WellFormed, AWaitReleasesAllDepths) {
  for (const std::string reacquire : {"", "acq 1 l\n"}) {
    const Checked checked = check("acq 1 l\nacq 1 l\nwait 1 l\nacq 2 l\nrel 2 l\n" + reacquire +
                                  "wr 1 x\nrel 1 l\nrel 1 l\nacq 2 l\n");
    EXPECT_EQ(checked.error, "");
    EXPECT_EQ(checked.reentrant, 2U);
  }
}

TEST(WellFormed, AFilteredEventDoesNotResume) {
  // The acquire of m is re-entrant and goes; the read is the first that counts.
  const Checked checked =
      check("acq 1 m\nacq 1 l\nwait 1 l\nacq 1 m\nrd 1 x\nrel 1 m\nrel 1 l\nrel 1 m\n");
  EXPECT_EQ(checked.error, "");
  EXPECT_THAT(checked.resumes, ElementsAre("rd 1 x"));
}

TEST(WellFormed, ADroppedEventDoesNotResume) {
  const Checked checked = check("acq 1 l\nwait 1 l\nrel 1 m\nrd 1 x\nrel 1 l\n", kLenient);
  EXPECT_THAT(checked.events, ElementsAre("acq 1 l", "wait 1 l", "skip", "rd 1 x", "rel 1 l"));
  EXPECT_THAT(checked.resumes, ElementsAre("rd 1 x"));
  const Checked barrier = check("barrier 1 b\nrel 1 m\nrd 1 x\n", kLenient);
  EXPECT_THAT(barrier.resumes, ElementsAre("rd 1 x"));
}

TEST(WellFormed, ABarrierResumesWithTheNextEvent) {
  const Checked checked = check("barrier 1 b\nbarrier 2 b\nwr 1 x\nwr 1 x\nbarrier 2 b\nwr 2 x\n");
  EXPECT_EQ(checked.error, "");
  EXPECT_THAT(checked.resumes, ElementsAre("wr 1 x", "barrier 2 b", "wr 2 x"));
  // It may also be the last thing that a thread does.
  EXPECT_EQ(check("barrier 2 b\nwr 1 x\njoin 1 2\n").error, "");
}

TEST(WellFormed, ABarrierForgetsAnEarlierWait) {
  // The wait was at depth two; the acquire after the barrier is a plain one.
  const Checked checked = check(
      "acq 1 l\nacq 1 l\nwait 1 l\nwr 1 x\nrel 1 l\nrel 1 l\nbarrier 1 b\nacq 1 l\nrel 1 l\n"
      "acq 2 l\n");
  EXPECT_EQ(checked.error, "");
}

TEST(WellFormed, ADroppedEventIsAsIfItHadNotBeen) {
  // Thread 2's only event before its fork is dropped, so the fork is fine.
  const Checked checked = check("rel 2 l\nfork 1 2\nwr 2 x\n", kLenient);
  EXPECT_EQ(checked.dropped, 1U);
  EXPECT_THAT(checked.events, ElementsAre("skip", "fork 1 2", "wr 2 x"));
}

TEST(WellFormed, NotesNameTheFirstDroppedOnesAndCountAll) {
  std::string tiddle;
  for (int i = 0; i < 30; ++i) tiddle += "rel 1 l\n";
  tiddle += "end 1 a\n";
  const Checked checked = check(tiddle, kLenient);
  EXPECT_EQ(checked.dropped, 31U);
  ASSERT_EQ(checked.notes.size(), 22U);
  EXPECT_EQ(checked.notes[20], "a.tiddle: … and 11 more");
  EXPECT_EQ(checked.notes[21],
            "a.tiddle: 31 events dropped in all: 30 release without acquire, 1 unbalanced unit");
}

TEST(WellFormed, BinaryTracesHaveEventNumbersForPlaces) {
  RawTrace raw = read_raw("wr 1 x\nrel 1 l\n", "tiddle");
  EventBuffer buffer;
  buffer.first_index = 1000;
  buffer.events = raw.events;
  WellFormed checker(*raw.symbols, "a.ftr", {});
  EXPECT_THAT(checker.check(buffer).error().message, HasSubstr("a.ftr: event 1001: thread 1"));
}

}  // namespace
}  // namespace foretrace::testing
