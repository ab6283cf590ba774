#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string big_endian(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string header(int threads, int locks, int locations, int64_t events) {
  return big_endian(static_cast<uint64_t>(threads), 2) +
         big_endian(static_cast<uint64_t>(locks), 4) +
         big_endian(static_cast<uint64_t>(locations), 4) +
         big_endian(static_cast<uint64_t>(events), 8);
}

enum Code : uint64_t { acq, rel, rd, wr, fork, join, begin, end, req, branch };

std::string word(uint64_t thread, uint64_t op, uint64_t operand, uint64_t line) {
  return big_endian(thread | op << 10 | operand << 14 | line << 48, 8);
}

TEST(RapidBinReader, ReadsEveryOperation) {
  const RawTrace trace = read_raw(header(2, 1, 1, 6) + word(0, fork, 1, 0) + word(0, acq, 2, 5) +
                                  word(0, rd, 3, 32767) + word(1, wr, 3, 7) + word(0, rel, 2, 0) +
                                  word(0, join, 1, 0));
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace), ElementsAre("fork T0 T1", "acq T0 L2 @ 5", "rd T0 V3 @ 32767",
                                              "wr T1 V3 @ 7", "rel T0 L2", "join T0 T1"));
  EXPECT_THAT(trace.notes, IsEmpty());
}

TEST(RapidBinReader, MarksKeepAnIndexAndAttemptsDoNot) {
  const RawTrace trace =
      read_raw(header(1, 1, 1, 6) + word(0, begin, 0, 0) + word(0, req, 0, 3) + word(0, acq, 0, 3) +
               word(0, branch, 0, 0) + word(0, rel, 0, 4) + word(0, end, 0, 0));
  EXPECT_EQ(trace.error, "");
  ASSERT_EQ(trace.events.size(), 4U);
  EXPECT_EQ(trace.events[0].op(), Op::skip);
  EXPECT_EQ(trace.events[3].op(), Op::skip);
  EXPECT_THAT(trace.notes,
              ElementsAre("trace: 2 entries left out: attempts to acquire (1 req) and branches (1 "
                          "branch) are not events",
                          "trace: 2 marks of the begin or end of a thread's life kept as events "
                          "without meaning"));
}

TEST(RapidBinReader, HeaderCountsMayBeTooSmall) {
  const RawTrace trace = read_raw(header(1, 0, 0, 1) + word(5, wr, 9, 0), "rapidbin");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace), ElementsAre("wr T5 V9"));
}

TEST(RapidBinReader, SaysWhatIsWrongAndWhere) {
  const std::string good = word(0, wr, 1, 2);
  EXPECT_EQ(read_raw(header(1, 0, 1, 3) + good + good).error,
            "trace: the header announces 3 events, but only 2 are there: the file is cut off");
  EXPECT_EQ(read_raw(header(1, 0, 1, 2) + good + good.substr(1)).error,
            "trace: the header announces 2 events, but only 1 are there: the file is cut off");
  EXPECT_EQ(read_raw(header(1, 0, 1, 1) + good + good + "x").error,
            "trace: the header announces 1 event, but there is room for 2 (9 bytes left over)");
  EXPECT_EQ(read_raw(header(1, 0, 1, 2) + good + word(0, 10, 0, 0), "rapidbin").error,
            "trace: entry 1 (at byte 26) has the unknown operation 10; the file is damaged or not "
            "RapidBin");
  EXPECT_EQ(read_raw(header(1, 0, 1, 2) + good + word(0, wr, uint64_t{1} << 32, 0)).error,
            "trace: entry 1 (at byte 26) has the operand 4294967296, which does not fit 32 bits; "
            "the file is damaged or not RapidBin");
  EXPECT_THAT(read_raw(header(-1, 0, 1, 1) + good, "rapidbin").error,
              StartsWith("trace: a count in the RapidBin header is negative (threads -1,"));
  EXPECT_THAT(read_raw(header(1, 0, 1, -1) + good, "rapidbin").error, HasSubstr("events -1"));
  EXPECT_EQ(read_raw(header(1, 0, 1, 1).substr(0, 17), "rapidbin").error,
            "trace: a RapidBin header has 18 bytes, but the file only 17");
}

TEST(RapidBinReader, LargeNumbersAreNames) {
  const RawTrace trace =
      read_raw(header(1, 0, 1, 2) + word(1023, wr, UINT32_MAX, 0) + word(1023, wr, UINT32_MAX, 0),
               "rapidbin");
  EXPECT_THAT(event_texts(trace), ElementsAre("wr T1023 V4294967295", "wr T1023 V4294967295"));
  EXPECT_EQ(trace.symbols->names(Space::location).size(), 1U);
}

TEST(RapidBinFormat, IsRecognised) {
  const std::string one = word(0, wr, 1, 2);
  EXPECT_EQ(read_raw(header(1, 0, 1, 1) + one).error, "");
  EXPECT_EQ(read_raw(header(0, 0, 0, 0)).error, "");  // an empty trace
  EXPECT_THAT(read_raw(std::string(17, '\0')).error, HasSubstr("not a trace in a known format"));
  EXPECT_THAT(read_raw(std::string(200, '\xFF')).error, HasSubstr("not a trace in a known format"));
  EXPECT_THAT(read_raw(header(1, 0, 1, 1) + word(0, 15, 0, 0)).error,
              HasSubstr("not a trace in a known format"));
}

WrittenTrace as_rapidbin(const std::string& tiddle) {
  const Result<Trace> trace = read_trace(tiddle, "tiddle");
  return write_trace(trace.value().batch(), *trace->symbols, "rapidbin");
}

TEST(RapidBinWriter, KeepsTheNumbersInNames) {
  const WrittenTrace written = as_rapidbin("wr T3 V7 @ 5\nacq T3 L2\nrel T3 L2\nfork T3 T5\n");
  EXPECT_EQ(written.error, "");
  EXPECT_EQ(written.bytes, header(6, 3, 8, 4) + word(3, wr, 7, 5) + word(3, acq, 2, 0) +
                               word(3, rel, 2, 0) + word(3, fork, 5, 0));
  EXPECT_THAT(written.losses, IsEmpty());
}

TEST(RapidBinWriter, NumbersOtherNames) {
  const WrittenTrace written = as_rapidbin("wr main x\nwr main V7\n");
  EXPECT_EQ(written.bytes, header(1, 0, 2, 2) + word(0, wr, 0, 0) + word(0, wr, 1, 0));
  EXPECT_THAT(written.losses, ElementsAre("3 names that had to be changed"));
}

TEST(RapidBinWriter, CountsWhatIsLost) {
  const WrittenTrace written = as_rapidbin(
      "set s V1\nwr 1 V1 5 @ a.c:7\nwr 1 V1 @ 32768\nwr 1 V1 @ 32767\nvrd 1 V1\n"
      "beg 1 a\nend 1 a\nacq 1 L1\nwait 1 L1\nwr 1 V1\nrel 1 L1\n");
  EXPECT_EQ(written.bytes, header(2, 2, 2, 8) + word(1, wr, 1, 7) + word(1, wr, 1, 0) +
                               word(1, wr, 1, 32767) + word(1, acq, 1, 0) + word(1, rel, 1, 0) +
                               word(1, acq, 1, 0) + word(1, wr, 1, 0) + word(1, rel, 1, 0));
  EXPECT_THAT(written.losses, ElementsAre("1 beg event", "1 end event", "1 vrd event", "1 value",
                                          "2 sites", "1 set or unit directive"));
}

TEST(RapidBinWriter, RefusesTooManyThreads) {
  std::string tiddle;
  for (int i = 0; i <= 1024; ++i) tiddle += fmt::format("wr {} x\n", i);
  EXPECT_EQ(as_rapidbin(tiddle).error,
            "RapidBin holds at most 1,024 threads, but the trace has 1,025; choose another format");
}

TEST(RapidBinWriter, LargeThreadNumbersAreNumberedAnew) {
  EXPECT_EQ(as_rapidbin("wr 70000 V0\n").bytes, header(1, 0, 1, 1) + word(0, wr, 0, 0));
}

}  // namespace
}  // namespace foretrace::testing
