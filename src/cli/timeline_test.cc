#include "cli/timeline.h"

#include <string>

#include <gtest/gtest.h>

namespace foretrace {
namespace {

constexpr Timeline::State kIdle = Timeline::State::idle;

// A digit for the events of each column; "." idle, "h" holding, "w" waiting,
// "<" before the thread's start, ">" after its end.
std::string drawn(const Timeline& timeline, ThreadId thread, uint64_t end, uint32_t columns) {
  std::string text;
  for (const auto& [cell, life] : timeline.row(thread, end, columns)) {
    if (life == Timeline::Life::before) {
      text += '<';
    } else if (cell.events > 0) {
      text += std::to_string(cell.events);
    } else if (cell.state != kIdle) {
      text += cell.state == Timeline::State::holding ? 'h' : 'w';
    } else {
      text += life == Timeline::Life::after ? '>' : '.';
    }
  }
  return text;
}

TEST(Timeline, ShowsEachEventOfAShortTrace) {
  Timeline timeline;
  timeline.record(0, 0, false, kIdle);
  timeline.start(1, 1);
  timeline.record(0, 1, false, kIdle);
  timeline.record(1, 3, true, Timeline::State::holding);
  timeline.record(0, 4, false, Timeline::State::waiting);
  timeline.record(1, 6, true, kIdle);
  EXPECT_EQ(drawn(timeline, 0, 8, 64), "11..1www");
  EXPECT_EQ(drawn(timeline, 1, 8, 64), "<..1hh1>");
}

TEST(Timeline, KeepsEveryEventWhenItGrows) {
  for (const uint64_t end : {1UL, 63UL, 64UL, 65UL, 128UL, 129UL, 1000UL, 4096UL, 100'000UL}) {
    Timeline timeline;
    for (uint64_t i = 0; i < end; ++i) timeline.record(i % 3 == 0 ? 0 : 1, i, i % 2 == 0, kIdle);
    uint64_t events = 0;
    uint64_t locked = 0;
    const uint32_t columns = timeline.column_count(end, 64);
    EXPECT_LE(columns, 64U);
    for (const ThreadId thread : {0U, 1U}) {
      const std::vector<Timeline::Stretch> row = timeline.row(thread, end, 64);
      EXPECT_EQ(row.size(), columns);
      for (const auto& [cell, life] : row) {
        events += cell.events;
        locked += cell.locked;
      }
    }
    EXPECT_EQ(events, end);
    EXPECT_EQ(locked, (end + 1) / 2);
    EXPECT_EQ(timeline.column_start(0, end, 64), 0U);
    EXPECT_EQ(timeline.column_start(columns, end, 64), end);
  }
}

TEST(Timeline, KnowsWhenThreadsStartAndEnd) {
  Timeline timeline;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const ThreadId thread = i >= 2500 && i < 5000 && i % 2 == 0 ? 1 : 0;
    timeline.record(thread, i, false, kIdle);
  }
  const std::vector<Timeline::Stretch> row = timeline.row(1, 10'000, 4);
  ASSERT_EQ(row.size(), 4U);
  EXPECT_EQ(row[0].life, Timeline::Life::before);
  EXPECT_GT(row[1].cell.events, 1200U);
  EXPECT_EQ(row[3].life, Timeline::Life::after);
}

}  // namespace
}  // namespace foretrace
