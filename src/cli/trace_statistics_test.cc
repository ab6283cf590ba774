#include "cli/trace_statistics.h"

#include <gtest/gtest.h>

#include "trace/stream.h"

namespace foretrace {
namespace {

class TraceStatisticsTest : public testing::Test {
 protected:
  const TraceStatistics& read(const std::string& tiddle) {
    Result<Trace> trace = load_trace(open_trace(*memory_input("test", tiddle), "tiddle").value());
    EXPECT_TRUE(trace) << trace.error().message;
    trace_ = std::move(*trace);
    statistics_ = std::make_unique<TraceStatistics>(*trace_.symbols);
    statistics_->process(trace_.batch());
    return *statistics_;
  }

  Trace trace_;
  std::unique_ptr<TraceStatistics> statistics_;
};

TEST_F(TraceStatisticsTest, CountsThreadsLocksAndLocations) {
  const TraceStatistics& statistics = read(
      "fork 1 2\n"
      "acq 1 l\n"
      "acq 1 m\n"
      "wr 1 x\n"
      "rel 1 m\n"
      "rel 1 l\n"
      "acq 2 l\n"
      "rd 2 x\n"
      "rel 2 l\n"
      "acq 2 l\n"
      "rel 2 l\n"
      "join 1 2\n");
  EXPECT_EQ(statistics.event_count(), 12U);
  EXPECT_EQ(statistics.count(Op::acq), 4U);
  EXPECT_EQ(statistics.threads()[0].events, 7U);
  EXPECT_EQ(statistics.threads()[1].forked->index, 0U);
  EXPECT_EQ(statistics.threads()[1].joined->index, 11U);
  EXPECT_EQ(statistics.locks()[0].acquires, 3U);
  EXPECT_EQ(statistics.locks()[0].contended, 1U);
  EXPECT_EQ(statistics.locks()[0].longest_hold, 4U);
  EXPECT_EQ(statistics.lock_threads().count(0), 2U);
  EXPECT_EQ(statistics.lock_threads().count(1), 1U);
  EXPECT_EQ(statistics.locations()[0].reads, 1U);
  EXPECT_EQ(statistics.locations()[0].writes, 1U);
  EXPECT_EQ(statistics.deepest_locks().depth, 2U);
  EXPECT_EQ(statistics.deepest_locks().index, 2U);
}

TEST_F(TraceStatisticsTest, AWaitReleasesAndTakesBack) {
  const TraceStatistics& statistics = read(
      "acq 1 l\n"
      "wait 1 l\n"
      "acq 2 l\n"
      "notify 2 l\n"
      "rel 2 l\n"
      "rd 1 x\n"
      "rel 1 l\n");
  EXPECT_EQ(statistics.locks()[0].acquires, 2U);
  EXPECT_EQ(statistics.locks()[0].contended, 1U);
  EXPECT_EQ(statistics.locks()[0].longest_hold, 2U);
  const std::vector<Timeline::Stretch> row = statistics.timeline().row(0, 7, 64);
  EXPECT_EQ(row[3].cell.state, Timeline::State::waiting);
  EXPECT_EQ(row[5].cell.locked, 1U);
}

TEST(ThreadSets, CountsManyThreads) {
  ThreadSets sets;
  sets.resize(2);
  for (ThreadId thread = 0; thread < 1000; ++thread) {
    sets.add(0, thread);
    sets.add(0, thread);
    sets.add(1, thread % 100);
  }
  EXPECT_EQ(sets.count(0), 1000U);
  EXPECT_EQ(sets.count(1), 100U);
  EXPECT_TRUE(sets.complete());
}

}  // namespace
}  // namespace foretrace
