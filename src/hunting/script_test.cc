#include "hunting/script.h"

#include <gtest/gtest.h>

namespace foretrace {
namespace {

Finding finding_of(const std::string& kind, Op op) {
  Finding finding;
  finding.kind = kind;
  for (const uint64_t index : {7U, 9U}) {
    FindingEvent& event = finding.events.emplace_back();
    event.index = index;
    event.thread = index == 7 ? "T1" : "T2";
    event.op = op;
    event.site = index == 7 ? "a.cpp:1:1" : "a.cpp:2:2";
  }
  return finding;
}

TEST(Script, RacesMeetAtTheirAccesses) {
  const Script script = make_script(finding_of("data-race", Op::wr), Trace());
  ASSERT_EQ(script.ending.size(), 2U);
  EXPECT_TRUE(script.schedule.empty());
  EXPECT_FALSE(script.is_ordered);
  EXPECT_TRUE(script.ending[0].last);
  EXPECT_FALSE(script.ending[0].sync);
  EXPECT_EQ(script.ending[0].access, "write");
  EXPECT_EQ(script.ending[1].thread, "T2");
}

TEST(Script, DeadlocksMeetAtTheirAcquires) {
  const Script script = make_script(finding_of("deadlock", Op::acq), Trace());
  ASSERT_EQ(script.ending.size(), 2U);
  EXPECT_TRUE(script.ending[0].sync);
  EXPECT_TRUE(script.ending[0].last);
}

TEST(Script, OtherErrorsAreAnOrderThatTheWitnessGives) {
  Finding finding = finding_of("atomicity-violation", Op::rd);
  finding.witness = {9, 7};
  const Script script = make_script(finding, Trace());
  ASSERT_EQ(script.ending.size(), 2U);
  EXPECT_TRUE(script.is_ordered);
  EXPECT_EQ(script.ending[0].thread, "T2");
  EXPECT_FALSE(script.ending[0].last);
}

TEST(Settings, TextHasWhatTheRuntimeReads) {
  SteerSettings settings;
  settings.seed = 42;
  settings.noise = {"location", "spin", 70, 30, true};
  settings.sites.push_back({"a b.cpp:3:4", ""});
  settings.steps.push_back({"T1", "@/bin/x+1f", "read", true, false});
  const std::string text = settings.text("/dev/shm/r");
  EXPECT_TRUE(text.starts_with("foretrace/steer/1\nreport\t/dev/shm/r\nseed\t42\n"));
  EXPECT_NE(text.find("\nsite\ta b.cpp:3:4\t\n"), std::string::npos);
  EXPECT_NE(text.find("\nstep\tT1\tlast-access\t@/bin/x+1f\tread\n"), std::string::npos);
  EXPECT_NE(text.find("\nshared-only\n"), std::string::npos);
}

}  // namespace
}  // namespace foretrace
