// Every trace that others recorded (../shared/traces) is read, and its events
// are counted.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

const std::string kFolder = FORETRACE_SHARED_DIR "/traces/";

struct Shared {
  std::string path;
  uint64_t events;         // with those that mean nothing
  uint64_t reentrant = 0;  // acquires and releases that were filtered
  uint64_t dropped = 0;    // not 0: it needs to be read leniently
};

void PrintTo(const Shared& trace, std::ostream* out) { *out << trace.path; }

const std::vector<Shared> kTraces = {
    {"ibm/account.std", 80},           {"ibm/airlinetickets.std", 107},
    {"ibm/array.std", 20, 4},          {"ibm/bubblesort.std", 5833, 354},
    {"ibm/bufwriter.std", 5618, 752},  {"ibm/critical.std", 25},
    {"ibm/hiddenRace.std", 7},         {"ibm/mergesort.std", 915, 44},
    {"ibm/pingpong.std", 94},          {"litmus/Test1.std", 8},
    {"litmus/Test11.std", 4},          {"litmus/Test13.std", 14},
    {"litmus/Test15.std", 14},         {"litmus/Test17.std", 14},
    {"litmus/Test19.std", 11},         {"litmus/Test21.std", 50},
    {"litmus/Test23.std", 8},          {"litmus/Test25.std", 15},
    {"litmus/Test27.std", 18},         {"litmus/Test3.std", 8},
    {"litmus/Test5.std", 18},          {"litmus/Test7.std", 11},
    {"litmus/Test9.std", 22},          {"rapidbin/Account.data", 644},
    {"rapidbin/Bensalem.data", 58},    {"rapidbin/Dbcp1.data", 2132, 22},
    {"rapidbin/DiningPhil.data", 227}, {"rapidbin/StringBuffer.data", 65},
    {"rapidbin/Transfer.data", 68},    {"rapidbin/cache4j_dlf.data", 56707, 4, 2},
};

// The traces are not part of the repository.
template <typename Test>
class NeedsFolder : public Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << kFolder << " is not there";
  }
};
class SharedTraces : public NeedsFolder<::testing::TestWithParam<Shared>> {};
class SharedFolder : public NeedsFolder<::testing::Test> {};

TEST_P(SharedTraces, IsReadWhole) {
  StreamOptions options;
  options.well_formed.lenient = GetParam().dropped > 0;
  const Result<std::unique_ptr<TraceStream>> stream =
      TraceStream::open(kFolder + GetParam().path, options);
  ASSERT_TRUE(stream) << stream.error().message;
  for (;;) {
    const Result<EventBatch> batch = (*stream)->next();
    ASSERT_TRUE(batch) << batch.error().message;
    if (batch->events.empty()) break;
  }
  EXPECT_EQ((*stream)->event_count(), GetParam().events);
  EXPECT_EQ((*stream)->reentrant_count(), GetParam().reentrant);
  EXPECT_EQ((*stream)->dropped_count(), GetParam().dropped);
}

// What a trace says is the same after a detour through each other format that
// can carry it.
TEST_P(SharedTraces, SurvivesADetour) {
  const std::string bytes = file_bytes(kFolder + GetParam().path);
  const WellFormedOptions options = {.lenient = GetParam().dropped > 0};
  const Result<Trace> trace = read_trace(bytes, {}, options);
  ASSERT_TRUE(trace) << trace.error().message;
  for (const std::string_view format : {"ftr", "std", "rapidbin", "tiddle", "roadrunner"}) {
    const WrittenTrace written = write_trace(trace->batch(), *trace->symbols, format);
    EXPECT_EQ(written.error, "");
    EXPECT_THAT(written.losses, ::testing::IsEmpty()) << format;
    const Result<Trace> there = read_trace(written.bytes, {});
    ASSERT_TRUE(there) << format << ": " << there.error().message;
    const WrittenTrace back = write_trace(there->batch(), *there->symbols, "std");
    const Result<Trace> again = read_trace(back.bytes, {});
    ASSERT_TRUE(again) << format << ": " << again.error().message;
    EXPECT_EQ(event_texts(*again), event_texts(*trace)) << format;
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, SharedTraces, ::testing::ValuesIn(kTraces),
                         [](const auto& tested) {
                           std::string name =
                               std::filesystem::path(tested.param.path).stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(SharedFolder, HasNoOtherTraces) {
  std::set<std::string> expected;
  for (const Shared& trace : kTraces) expected.insert(trace.path);
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    const std::string path = std::filesystem::relative(entry.path(), kFolder).string();
    if (entry.is_regular_file() && path != "README.md") found.insert(path);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(SharedFolder, OverlappingHoldsAreRefusedByDefault) {
  const Result<Trace> trace = read_trace(file_bytes(kFolder + "rapidbin/cache4j_dlf.data"));
  ASSERT_FALSE(trace);
  EXPECT_THAT(
      trace.error().message,
      ::testing::HasSubstr("event 3450: thread T2 acquires lock L13, which thread T0 holds"));
}

}  // namespace
}  // namespace foretrace::testing
