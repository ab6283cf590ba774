// What a stream does to atomic-sets that whole traces do not.
#include <gtest/gtest.h>

#include "analyses/analysis.h"

namespace foretrace {
namespace {

class AtomicSetsStream : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* thread : {"1", "2"}) symbols_.names(Space::thread).append(thread);
    for (const char* location : {"x", "y"}) symbols_.names(Space::location).append(location);
    symbols_.names(Space::label).append("u");
  }

  // Two units that write x and y, one inside of the other.
  std::vector<Event> beginning() const {
    return {make_event(0, Op::beg, 0), make_event(0, Op::wr, 0), make_event(1, Op::beg, 0),
            make_event(1, Op::wr, 0)};
  }
  std::vector<Event> rest() const {
    return {make_event(1, Op::wr, 1), make_event(1, Op::end, 0), make_event(0, Op::wr, 1),
            make_event(0, Op::end, 0)};
  }

  std::unique_ptr<Analysis> analysis() {
    return analysis_named("atomic-sets").value()->create({symbols_, settings_, [&](Candidate c) {
                                                            found_.push_back(std::move(c));
                                                          }});
  }

  Symbols symbols_;
  AnalysisSettings settings_;
  std::vector<Candidate> found_;
};

TEST_F(AtomicSetsStream, LocationsOfDifferentSetsMakeNoPattern) {
  const auto running = analysis();
  const std::vector<Event> first = beginning();
  running->process({0, first, {}});
  const std::vector<Event> second = rest();
  running->process({4, second, {}});
  running->finish();
  EXPECT_TRUE(found_.empty());
}

TEST_F(AtomicSetsStream, AnObjectOfTheRecorderIsASet) {
  for (const char* location :
       {"a of the object allocated at x.cc:4", "b of the object allocated at x.cc:4"}) {
    symbols_.names(Space::location).append(location);
  }
  const auto running = analysis();
  std::vector<Event> events = beginning();
  const std::vector<Event> second = rest();
  events.insert(events.end(), second.begin(), second.end());
  for (Event& event : events) {
    if (event.op() == Op::wr) event.object += 2;
  }
  running->process({0, events, {}});
  running->finish();
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].detail["set"], "the object allocated at x.cc:4");
}

TEST_F(AtomicSetsStream, ADirectiveCountsForWhatCameBeforeIt) {
  const auto running = analysis();
  const std::vector<Event> first = beginning();
  running->process({0, first, {}});
  symbols_.sets.push_back({"both", {"x", "y"}});
  const std::vector<Event> second = rest();
  running->process({4, second, {}});
  running->finish();
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].detail["pattern"], 6);
  EXPECT_EQ(found_[0].detail["set"], "both");
  EXPECT_EQ(running->passes(), 2U);
}

TEST_F(AtomicSetsStream, ADirectiveAtTheVeryEndCountsToo) {
  const auto running = analysis();
  const std::vector<Event> first = beginning();
  running->process({0, first, {}});
  const std::vector<Event> second = rest();
  running->process({4, second, {}});
  symbols_.sets.push_back({"both", {"x", "y"}});
  running->finish();
  EXPECT_EQ(found_.size(), 1U);
}

}  // namespace
}  // namespace foretrace
