#include "hunting/supervised_run.h"

#include <csignal>

#include <gtest/gtest.h>

namespace foretrace {
namespace {

Result<RunResult> run_shell(const std::string& script, double seconds = 20) {
  return run_supervised({.words = {"/bin/sh", "-c", script},
                         .environment = {{"FORETRACE_TEST", "5"}},
                         .output = "/dev/null",
                         .errors = "/dev/null",
                         .seconds = seconds});
}

TEST(SupervisedRun, ExitStatusAndVariables) {
  const Result<RunResult> result = run_shell("exit $FORETRACE_TEST");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, RunResult::End::exited);
  EXPECT_EQ(result->status, 5);
  EXPECT_EQ(result->text(), "exit status 5");
}

TEST(SupervisedRun, Signals) {
  const Result<RunResult> result = run_shell("kill -ABRT $$");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, RunResult::End::killed_by_signal);
  EXPECT_EQ(result->status, SIGABRT);
}

TEST(SupervisedRun, WhatRunsForEverIsEnded) {
  const Result<RunResult> result = run_shell("sleep 1000 & sleep 1000", 0.2);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, RunResult::End::timed_out);
  EXPECT_GE(result->left_behind, 1U);
}

TEST(SupervisedRun, WhatIsLeftBehindIsEnded) {
  const Result<RunResult> result = run_shell("setsid sleep 1000 & exit 0");
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->good());
  EXPECT_EQ(result->left_behind, 1U);
  EXPECT_EQ(result->text(), "exit status 0; it left 1 process behind, which was ended");
}

TEST(SupervisedRun, AProgramThatIsNotThere) {
  RunRequest request;
  request.words = {"/nowhere/at/all"};
  const Result<RunResult> result = run_supervised(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cannot run /nowhere/at/all: No such file or directory");
}

}  // namespace
}  // namespace foretrace
