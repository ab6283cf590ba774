#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TiddleReader, ReadsEveryOperation) {
  const std::string text =
      "rd 1 x\nwr 1 x\nacq 1 l\nrel 1 l\nracq 1 l\nrrel 1 l\nfork 1 2\njoin 1 2\nbeg 1 a\n"
      "end 1 a\nwait 1 l\nnotify 1 l\nnotifyall 1 l\nvrd 1 v\nvwr 1 v\nvrmw 1 v\nbarrier 1 b\n"
      "alloc 1 o\nfree 1 o\n";
  const RawTrace trace = read_raw(text, "tiddle");
  EXPECT_EQ(trace.error, "");
  std::string joined;
  for (const std::string& event : event_texts(trace)) joined += event + "\n";
  EXPECT_EQ(joined, text);
  EXPECT_EQ(trace.lines.size(), 19U);
  EXPECT_EQ(trace.lines.back(), 19U);
}

TEST(TiddleReader, ReadsValuesSitesAndComments) {
  const RawTrace trace = read_raw(
      "# a comment\n"
      "\n"
      "  wr 1 x 5 @ bank.cpp:41   # and another\r\n"
      "\trd\t2 x 5 @ 12\n"
      "wr 1 x -9223372036854775808\n"
      "rd 1 x @ bank.cpp:41:7",
      "tiddle");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("wr 1 x 5 @ bank.cpp:41", "rd 2 x 5 @ 12", "wr 1 x -9223372036854775808",
                          "rd 1 x @ bank.cpp:41:7"));
  EXPECT_THAT(trace.lines, ElementsAre(3, 4, 5, 6));
}

TEST(TiddleReader, ReadsDirectives) {
  const RawTrace trace = read_raw("set account a.x a.y\nunit transfer account\nwr 1 a.x\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(declaration_texts(*trace.symbols),
              ElementsAre("set account a.x a.y", "unit transfer account"));
}

TEST(TiddleReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read_raw("wr 1 x\nacqq 1 l\n").error,
            "trace:2: unknown operation 'acqq'; did you mean 'acq'?");
  EXPECT_EQ(read_raw("wr 1 x\nacq 1\n").error, "trace:2: 'acq' needs a thread and a lock: acq 1 x");
  EXPECT_EQ(read_raw("wr 1 x 5 6\n", "tiddle").error,
            "trace:1: '6' is one word too many after 'wr 1 x'");
  EXPECT_EQ(read_raw("acq 1 l 5\n", "tiddle").error,
            "trace:1: '5' is one word too many after 'acq 1 l'");
  EXPECT_THAT(read_raw("wr 1 x five\n").error, HasSubstr("'five' is not a value"));
  EXPECT_THAT(read_raw("wr 1 x 9223372036854775808\n").error, HasSubstr("at most 64 bits"));
  EXPECT_THAT(read_raw("wr 1 x @\n").error, HasSubstr("after '@' comes one site"));
  EXPECT_THAT(read_raw("wr 1 x\nset account\n").error, HasSubstr("'set' needs a name"));
}

TEST(TiddleWriter, NumbersThreadsAsTheGrammarDoes) {
  const RawTrace trace = read_raw("T1|w(x)|0\nmain|r(x)|0\n", "std");
  const WrittenTrace written = write_trace(trace.batch(), *trace.symbols, "tiddle");
  EXPECT_EQ(written.bytes, "wr 1 x\nrd main x\n");
  EXPECT_THAT(written.losses, IsEmpty());
}

TEST(TiddleWriter, KeepsThreadsApart) {
  // 7 and T7 would both be 7.
  const RawTrace trace = read_raw("wr T7 x\nwr 7 x\n", "tiddle");
  const WrittenTrace written = write_trace(trace.batch(), *trace.symbols, "tiddle");
  EXPECT_EQ(written.bytes, "wr 7 x\nwr 7_2 x\n");
  EXPECT_THAT(written.losses, ElementsAre("1 name that had to be changed"));
}

TEST(TiddleWriter, ChangesNamesThatItCannotWrite) {
  Symbols symbols;
  symbols.names(Space::thread).append("1");
  for (const std::string_view name : {"a b", "a_b", "#x", "@", "", "@1"}) {
    symbols.names(Space::location).append(name);
  }
  std::vector<Event> events;
  for (uint32_t i = 0; i < 6; ++i) events.push_back(make_event(0, Op::wr, i));
  const WrittenTrace written = write_trace({0, events, {}}, symbols, "tiddle");
  EXPECT_EQ(written.bytes, "wr 1 a_b\nwr 1 a_b_2\nwr 1 _x\nwr 1 _\nwr 1 __2\nwr 1 @1\n");
  EXPECT_THAT(written.losses, ElementsAre("5 names that had to be changed"));
  const RawTrace again = read_raw(written.bytes);
  EXPECT_EQ(again.symbols->names(Space::location).size(), 6U);
}

// A recorder may give many places one name. They stay apart, and that does not
// take forever.
TEST(TiddleWriter, KeepsManyEqualNamesApart) {
  Symbols symbols;
  symbols.names(Space::thread).append("1");
  std::vector<Event> events;
  for (uint32_t i = 0; i < 50'000; ++i) {
    symbols.names(Space::location).append("x");
    events.push_back(make_event(0, Op::wr, i));
  }
  const WrittenTrace written = write_trace({0, events, {}}, symbols, "tiddle");
  EXPECT_EQ(read_raw(written.bytes).symbols->names(Space::location).size(), 50'000U);
  EXPECT_THAT(written.losses, ElementsAre("49,999 names that had to be changed"));
}

TEST(TiddleWriter, CountsFunctionsAndSitesThatAreLost) {
  Symbols symbols;
  symbols.names(Space::thread).append("1");
  symbols.names(Space::location).append("x");
  symbols.files.append("12");  // reads as a line
  symbols.functions.append("main");
  symbols.sites.push_back({0, 3, 0, 1});
  symbols.sites.push_back({1, 0, 0, 0});
  const std::vector<Event> events = {make_event(0, Op::wr, 0, 1), make_event(0, Op::wr, 0, 1),
                                     make_event(0, Op::wr, 0, 2)};
  const WrittenTrace written = write_trace({0, events, {}}, symbols, "tiddle");
  EXPECT_THAT(written.losses, ElementsAre("1 site", "1 function name of a site"));
}

TEST(TiddleFormat, IsRecognised) {
  for (const std::string_view text :
       {"wr 1 x", "# comment\nwr 1 x\n", "set a x\nwr 1 x\n", "\n\n acq 1 l\n"}) {
    EXPECT_EQ(read_raw(std::string(text)).error, "") << text;
  }
  EXPECT_THAT(read_raw("hello, world\n").error, HasSubstr("not a trace in a known format"));
}

}  // namespace
}  // namespace foretrace::testing
