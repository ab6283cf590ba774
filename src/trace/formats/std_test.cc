#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The events and lines must be the same whether a line is read in bulk or alone.
TEST(StdReader, ReadsPlainLines) {
  const RawTrace trace = read_raw(
      "T0|w(V1)|12\n"
      "T0|acq(L2)|0\n"
      "T0|r(V0)|7\n"
      "T0|rel(L2)|Bank.java:31\n"
      "T0|w(V1)|12\n"
      "T0|w(V1)|0");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("wr T0 V1 @ 12", "acq T0 L2", "rd T0 V0 @ 7", "rel T0 L2 @ Bank.java:31",
                          "wr T0 V1 @ 12", "wr T0 V1"));
  EXPECT_THAT(trace.lines, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(StdReader, ReadsEveryOperation) {
  const RawTrace trace = read_raw(
      "T1|r(x)|0\nT1|rd(x)|0\nT1|w(x)|0\nT1|wr(x)|0\nT1|fork(T2)|0\nT1|join(T2)|0\n"
      "T1|begin(a)|0\nT1|end(a)|0\nT1|wait(l)|0\nT1|notify(l)|0\nT1|notifyall(l)|0\n"
      "T1|vrd(v)|0\nT1|vwr(v)|0\nT1|vrmw(v)|0\nT1|racq(l)|0\nT1|rrel(l)|0\nT1|barrier(b)|0\n"
      "T1|alloc(o)|0\nT1|free(o)|0\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("rd T1 x", "rd T1 x", "wr T1 x", "wr T1 x", "fork T1 T2", "join T1 T2",
                          "beg T1 a", "end T1 a", "wait T1 l", "notify T1 l", "notifyall T1 l",
                          "vrd T1 v", "vwr T1 v", "vrmw T1 v", "racq T1 l", "rrel T1 l",
                          "barrier T1 b", "alloc T1 o", "free T1 o"));
}

TEST(StdReader, BareNumbersAreThreads) {
  const RawTrace trace =
      read_raw("T1|fork(9)|0\nT9|w(V1)|0\n9|w(V1)|0\n9|w(V1)|0\n007|w(V1)|0\nT1|join(9)|0\n");
  EXPECT_THAT(event_texts(trace), ElementsAre("fork T1 T9", "wr T9 V1", "wr T9 V1", "wr T9 V1",
                                              "wr T007 V1", "join T1 T9"));
}

TEST(StdReader, UnitsMayHaveNoLabel) {
  const RawTrace trace = read_raw("T1|begin|3\nT1|begin()|3\nT1|end\nT1|end(unit)|0\n");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("beg T1 unit @ 3", "beg T1 unit @ 3", "end T1 unit", "end T1 unit"));
}

TEST(StdReader, SitesMayBeMissing) {
  const RawTrace trace = read_raw("T1|w(V1)|5\nT1|w(V1)|\nT1|w(V1)\nT1|w(V1)|0\n");
  EXPECT_THAT(event_texts(trace), ElementsAre("wr T1 V1 @ 5", "wr T1 V1", "wr T1 V1", "wr T1 V1"));
}

TEST(StdReader, AttemptsAndBranchesAreNoEvents) {
  const RawTrace trace = read_raw("T1|req(L1)|4\nT1|acq(L1)|4\nT1|branch|5\nT1|rel(L1)|6\n");
  EXPECT_THAT(event_texts(trace), ElementsAre("acq T1 L1 @ 4", "rel T1 L1 @ 6"));
  EXPECT_THAT(trace.lines, ElementsAre(2, 4));
  EXPECT_THAT(trace.notes, ElementsAre("trace: 2 lines left out: attempts to acquire (1 req) and "
                                       "branches (1 branch) are not events"));
}

TEST(StdReader, ForgivesBlanksAndLineEnds) {
  const RawTrace trace = read_raw(
      "T1|w(V1)|5\r\n"
      "T1|w(V1)|5\r\n"
      "\r\n"
      "  T1 | w ( V1 ) | 5 \n"
      "T1|w( V1)|5\n"
      "T1|w(V1)| 5\n"
      "T1|w(V1)|0\r\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace), ElementsAre("wr T1 V1 @ 5", "wr T1 V1 @ 5", "wr T1 V1 @ 5",
                                              "wr T1 V1 @ 5", "wr T1 V1 @ 5", "wr T1 V1"));
  EXPECT_EQ(trace.lines.back(), 7U);
}

TEST(StdReader, NamesMayBeAnything) {
  const RawTrace trace = read_raw(
      "main|w(V1)|1\nmain|w(Foo.bar(int))|1\nmain|r(123456789012345)|1\nT1|r(V007)|1\n"
      "T1|r(V7)|1\nT1|r(\xC3\xA9)|99999999999\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace), ElementsAre("wr main V1 @ 1", "wr main Foo.bar(int) @ 1",
                                              "rd main 123456789012345 @ 1", "rd T1 V007 @ 1",
                                              "rd T1 V7 @ 1", "rd T1 \xC3\xA9 @ 99999999999"));
}

TEST(StdReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read_raw("T1|w(V1)|1\nT1|acqq(L1)|2\n").error,
            "trace:2: unknown operation 'acqq'; did you mean 'acq'?");
  EXPECT_EQ(read_raw("T1|w(V1)|1\nT1 w V1\n").error,
            "trace:2: no '|' in 'T1 w V1'; expected thread|op(object)|site, such as T1|w(V2)|12");
  const std::string good = "T1|w(V1)|1\n";
  EXPECT_THAT(read_raw(good + "T1|w(V1|1\n").error, HasSubstr("trace:2: no ')'"));
  EXPECT_THAT(read_raw(good + "T1|w(V1)|1|2\n").error, HasSubstr("trace:2: a third '|'"));
  EXPECT_THAT(read_raw(good + "T1|w(a|b)|1\n").error, HasSubstr("trace:2: "));
  EXPECT_THAT(read_raw(good + "|w(V1)|1\n").error, HasSubstr("trace:2: no thread"));
  EXPECT_THAT(read_raw(good + "T1||1\n").error, HasSubstr("trace:2: no operation"));
  EXPECT_THAT(read_raw(good + "T1|w()|1\n").error,
              HasSubstr("trace:2: 'w' has no object; expected w(name)"));
  EXPECT_THAT(read_raw(good + "T1|acq|1\n").error, HasSubstr("'acq' has no object"));
  EXPECT_THAT(read_raw(good + "T1|").error, HasSubstr("trace:2: no operation"));
}

TEST(StdReader, IsRecognised) {
  EXPECT_EQ(read_raw("\n T1|w(V1)|1").error, "");
  EXPECT_EQ(read_raw("T1|begin|1").error, "");
  EXPECT_THAT(read_raw("T1|ww(V1)|1\n").error, HasSubstr("did you mean 'w'"));
  EXPECT_THAT(read_raw("a|b|c\n").error, HasSubstr("not a trace in a known format"));
}

TEST(StdReader, BatchesHaveRunningIndexes) {
  std::string text;
  for (size_t i = 0; i < 3 * kBatchEvents; ++i) text += "T1|r(V1)|2\n";
  const RawTrace trace = read_raw(text);  // checks the batches' first indexes
  EXPECT_EQ(trace.events.size(), 3 * kBatchEvents);
  EXPECT_EQ(trace.lines.back(), 3 * kBatchEvents);
}

// Whole lines are parsed in bulk, a last one without an end is not: both ways
// must give the same.
RC_GTEST_PROP(StdReader, ParsesInBulkAsItParsesOneLine, ()) {
  const auto piece = rc::gen::element<std::string>(
      "T1", "T2", "main", "|", "|", "|", "r", "w", "acq", "rel", "(", "(", ")", ")", "V1", "V01",
      "7", "07", "0", "123456789012", "L1", " ", "\r", "x.c:3", "\xC3", ":");
  const auto line = rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                                 [](const std::vector<std::string>& pieces) {
                                   std::string text;
                                   for (const std::string& part : pieces) text += part;
                                   return text;
                                 });
  // Mostly a line that is nearly right.
  const auto field = [&](const char* usual) {
    return rc::gen::weightedOneOf<std::string>({{4, rc::gen::just(std::string(usual))}, {1, line}});
  };
  const std::string text =
      *field("T1") + *field("|") + *field("w(") + *field("V1") + *field(")|") + *field("12");
  const std::string before = "T1|w(V1)|1\nmain|w(V1)|1\n7|w(V1)|1\n";
  const RawTrace alone = read_raw(before + text, "std");
  const RawTrace bulk = read_raw(before + text + "\n", "std");
  RC_ASSERT(bulk.error == alone.error);
  RC_ASSERT(event_texts(bulk) == event_texts(alone));
}

std::string as_std(const std::string& tiddle, std::vector<std::string>* losses = nullptr) {
  const Result<Trace> trace = read_trace(tiddle, "tiddle");
  if (!trace) return trace.error().message;
  const WrittenTrace written = write_trace(trace->batch(), *trace->symbols, "std");
  if (losses != nullptr) *losses = written.losses;
  return written.bytes;
}

TEST(StdWriter, WritesWhatRapidReads) {
  std::vector<std::string> losses;
  EXPECT_EQ(as_std("rd 1 x @ 5\nwr 1 x\nacq 1 l @ a.c:7\nrel 1 l\nfork 1 2\njoin 1 2\n"
                   "beg 1 a\nend 1 a\n",
                   &losses),
            "T1|r(x)|5\nT1|w(x)|0\nT1|acq(l)|a.c:7\nT1|rel(l)|0\nT1|fork(T2)|0\n"
            "T1|join(T2)|0\nT1|begin(a)|0\nT1|end(a)|0\n");
  EXPECT_THAT(losses, IsEmpty());
}

TEST(StdWriter, AWaitIsAReleaseAndAnAcquire) {
  EXPECT_EQ(as_std("acq 1 l\nwait 1 l @ 3\nacq 2 l\nrel 2 l\nwr 1 x\nrel 1 l\n"),
            "T1|acq(l)|0\nT1|rel(l)|3\nT2|acq(l)|0\nT2|rel(l)|0\nT1|acq(l)|0\nT1|w(x)|0\n"
            "T1|rel(l)|0\n");
  // The trace has the re-acquire itself.
  EXPECT_EQ(as_std("acq 1 l\nwait 1 l\nacq 1 l @ 3\nrel 1 l\n"),
            "T1|acq(l)|0\nT1|rel(l)|0\nT1|acq(l)|3\nT1|rel(l)|0\n");
  // What resumes the thread is lost, but the re-acquire is not.
  EXPECT_EQ(as_std("acq 1 l\nwait 1 l\nnotify 1 l\nwait 1 l\nrel 1 l\n"),
            "T1|acq(l)|0\nT1|rel(l)|0\nT1|acq(l)|0\nT1|rel(l)|0\nT1|acq(l)|0\nT1|rel(l)|0\n");
}

TEST(StdWriter, CountsWhatIsLost) {
  std::vector<std::string> losses;
  as_std(
      "set s x\nunit a s\nwr 1 x 5\nracq 1 l\nrrel 1 l\nnotify 1 l\nnotifyall 1 l\nvrd 1 v\n"
      "vwr 1 v\nvrmw 1 v\nbarrier 1 b\nalloc 1 o\nfree 1 o\nfree 1 o\n",
      &losses);
  EXPECT_THAT(losses,
              ElementsAre("1 racq event", "1 rrel event", "1 notify event", "1 notifyall event",
                          "1 vrd event", "1 vwr event", "1 vrmw event", "1 barrier event",
                          "1 alloc event", "2 free events", "1 value", "2 set or unit directives"));
}

TEST(StdWriter, ChangesNamesThatItCannotWrite) {
  std::vector<std::string> losses;
  EXPECT_EQ(as_std("wr 1 a|b\nwr 1 f(x)\nwr T1 x\n", &losses),
            "T1|w(a_b)|0\nT1|w(f_x_)|0\nT1_2|w(x)|0\n");
  EXPECT_THAT(losses, ElementsAre("3 names that had to be changed"));
}

}  // namespace
}  // namespace foretrace::testing
