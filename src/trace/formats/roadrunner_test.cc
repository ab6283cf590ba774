#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/trace_io.h"

namespace foretrace::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// As RoadRunner's PrintTool prints them.
TEST(RoadRunnerReader, ReadsALog) {
  const RawTrace trace = read_raw(
      "[main: New Thread main with tid=0.]\n"
      "@  Thread[main,5,main][tid = 0] started .\n"
      "@  Enter(0,test/Deadlock.main([Ljava/lang/String;)V) from call_null@?:-1\n"
      "@   Wr(0,null.test/Deadlock.value_I)  Final  Deadlock.java:50:7\n"
      "@   Acquire(0,@03)\n"
      "@   test release @03\n"
      "@   Release(0,@03)\n"
      "@   AWr(0,@0A[5])[0 -> 7]  [W=(0:1) R=(0:0)]  Deadlock.java:51\n"
      "@   ARd(0,@0A[5])[7]  null  NullLoc\n"
      "@  Exit(0,test/Deadlock.main([Ljava/lang/String;)V)\n"
      "Hello from the program\n"
      "@   stopped Thread[main,5,main][tid = 0]\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("beg 0 test/Deadlock.main([Ljava/lang/String;)V",
                          "wr 0 null.test/Deadlock.value_I @ Deadlock.java:50:7", "acq 0 @03",
                          "rel 0 @03", "wr 0 @0A[5] @ Deadlock.java:51", "rd 0 @0A[5]",
                          "end 0 test/Deadlock.main([Ljava/lang/String;)V"));
  EXPECT_THAT(trace.notes, ElementsAre("trace: 5 lines skipped that are no event of a trace"));
}

TEST(RoadRunnerReader, TwoLinesCanBeOneOperation) {
  const RawTrace trace = read_raw(
      "@ Start(0,1)\n"
      "@ Wr(1,x)\n"
      "@ Start(0,1)\n"
      "@ Join(0,1)\n"
      "@ Acquire(1,l)\n"
      "@ Wait(1,l)\n"
      "@ Acquire(2,l)\n"
      "@ Notify(2,l,false)\n"
      "@ Notify(2,l,false)\n"
      "@ Notify(2,l,true)\n"
      "@ Notify(2,l,true)\n"
      "@ Release(2,l)\n"
      "@ Wait(1,l)\n"
      "@ Release(1,l)\n"
      "@ Join(0,1)\n"
      "@ Wr(0,x)\n");
  EXPECT_EQ(trace.error, "");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("fork 0 1", "wr 1 x", "acq 1 l", "wait 1 l", "acq 2 l", "notify 2 l",
                          "notifyall 2 l", "rel 2 l", "acq 1 l", "rel 1 l", "join 0 1", "wr 0 x"));
}

TEST(RoadRunnerReader, OneLineIsEnough) {
  const RawTrace trace = read_raw(
      "@ Start(0,1)\n@ Join(0,1)\n@ Wr(1,x)\n@ Acquire(2,l)\n@ Wait(2,l)\n@ Release(2,l)\n"
      "@ Wr(0,x)\n@ Join(0,2)\n");
  EXPECT_EQ(trace.error, "");
  // A join is made when its thread goes on, or at the end.
  EXPECT_THAT(event_texts(trace), ElementsAre("fork 0 1", "wr 1 x", "acq 2 l", "wait 2 l",
                                              "rel 2 l", "join 0 1", "wr 0 x", "join 0 2"));
  EXPECT_THAT(trace.lines, ElementsAre(1, 3, 4, 5, 6, 2, 7, 8));
}

TEST(RoadRunnerReader, ReadsVolatilesBarriersAndClasses) {
  const RawTrace trace = read_raw(
      "@ VRd(1,@01.Foo.flag)  null\n@ VWr(1,@01.Foo.flag)\n@ Barrier(1,@02,Enter)\n"
      "@ Barrier(1,@02,Exit)\n@ ClassInited(0,Foo)\n@ ClassAccssed(1,Foo)\n");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("vrd 1 @01.Foo.flag", "vwr 1 @01.Foo.flag", "barrier 1 @02",
                          "vwr 0 class:Foo", "vrd 1 class:Foo"));
}

TEST(RoadRunnerReader, NumbersOfThreadsAreUsedAgain) {
  const RawTrace trace = read_raw(
      "@ Start(0,1)\n@ Start(0,1)\n@ Wr(1,x)\n@ Join(0,1)\n@ Join(0,1)\n"
      "@ Start(0,1)\n@ Start(0,1)\n@ Wr(1,x)\n@ Join(0,-1)\n@ Join(0,-1)\n");
  EXPECT_THAT(event_texts(trace),
              ElementsAre("fork 0 1", "wr 1 x", "join 0 1", "fork 0 1#2", "wr 1#2 x"));
  ASSERT_EQ(trace.notes.size(), 1U);
  EXPECT_THAT(trace.notes[0], HasSubstr("2 joins left out"));
}

TEST(RoadRunnerReader, ForgivesBlanksAndOddSites) {
  const RawTrace trace = read_raw(
      "   @Rd( 1 , Foo.x I ) null 12\n@\tWr(main,x) Foo.java:3\n@ Rd(1,x) Final\n"
      "@ Enter(1,f()V) from call_g()V@Foo.java:12:3\n");
  EXPECT_THAT(event_texts(trace), ElementsAre("rd 1 Foo.x I @ 12", "wr main x @ Foo.java:3",
                                              "rd 1 x", "beg 1 f()V @ Foo.java:12:3"));
}

TEST(RoadRunnerReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read_raw("@ Rd(1,x)\n@ Wr(1)\n").error, "trace:2: '@ Wr(1)' is not Wr(thread,object)");
  EXPECT_EQ(read_raw("@ Rd(1,x)\n@ Wr(1,x\n").error,
            "trace:2: '@ Wr(1,x' is not Wr(thread,object)");
  EXPECT_EQ(read_raw("@ Acquire(,l)\n").error,
            "trace:1: '@ Acquire(,l)' is not Acquire(thread,object)");
  EXPECT_EQ(read_raw("@ Acquire(1,)\n").error,
            "trace:1: '@ Acquire(1,)' is not Acquire(thread,object)");
}

WrittenTrace as_log(const std::string& tiddle) {
  const Result<Trace> trace = read_trace(tiddle, "tiddle");
  return write_trace(trace.value().batch(), *trace->symbols, "roadrunner");
}

TEST(RoadRunnerWriter, WritesALog) {
  const WrittenTrace written = as_log(
      "fork T0 T1\nacq 1 l\nrd 1 x @ a.c:3\nwr 1 a[2]\nwait 1 l @ 5\nvrd 0 v\nrel 1 l\n"
      "notifyall 1 l\nbarrier 1 b\nbeg 1 f()V\nend 1 f()V\njoin 0 1\n");
  EXPECT_EQ(written.bytes,
            "@  Start(0,1)\n"
            "@  Acquire(1_2,l)\n"
            "@  Rd(1_2,x)  null  a.c:3\n"
            "@  AWr(1_2,a[2])  null  NullLoc\n"
            "@  Wait(1_2,l)  null  5\n"
            "@  VRd(0_2,v)  null  NullLoc\n"
            "@  Wait(1_2,l)\n"
            "@  Release(1_2,l)\n"
            "@  Notify(1_2,l,true)\n"
            "@  Notify(1_2,l,true)\n"
            "@  Barrier(1_2,b,Enter)\n"
            "@  Enter(1_2,f()V)\n"
            "@  Exit(1_2,f()V)\n"
            "@  Join(0_2,1_2)\n"
            "@  Join(0_2,1_2)\n");
}

TEST(RoadRunnerWriter, CountsWhatIsLost) {
  const WrittenTrace written = as_log(
      "wr 1 x 5\nracq 1 l\nrrel 1 l\nvrmw 1 v\nalloc 1 o\nfree 1 o\nwr 1 a,b @ a.c\n"
      "wr 1 f(\nset s x\n");
  EXPECT_EQ(written.bytes,
            "@  Wr(1,x)  null  NullLoc\n@  Wr(1,a_b)  null  a.c\n@  Wr(1,f_)  null  NullLoc\n");
  EXPECT_THAT(written.losses,
              ElementsAre("1 racq event", "1 rrel event", "1 vrmw event", "1 alloc event",
                          "1 free event", "1 value", "1 site", "1 set or unit directive",
                          "2 names that had to be changed"));
}

TEST(RoadRunnerFormat, IsRecognised) {
  EXPECT_EQ(read_raw("[main: a message]\n@ Rd(1,x)\n").error, "");
  EXPECT_EQ(read_raw("[main: nothing but messages]\n").error, "");
  EXPECT_THAT(read_raw("@ Frobnicate(1,x)\n").error, HasSubstr("not a trace in a known format"));
}

}  // namespace
}  // namespace foretrace::testing
