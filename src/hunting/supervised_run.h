// One run of a program that may do anything: crash, hang, fork, become a daemon.
// It ends within its time, and nothing of it is left afterwards.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace foretrace {

struct RunRequest {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;  // in addition to ours
  std::string input = "/dev/null";
  std::string output;  // files; empty: ours
  std::string errors;
  double seconds = 60;
};

struct RunResult {
  enum class End { exited, killed_by_signal, timed_out, interrupted };
  End end = End::exited;
  int status = 0;  // the exit status, or the signal
  double seconds = 0;
  uint32_t left_behind = 0;  // processes that it left, which were ended

  bool good() const { return end == End::exited && status == 0; }
  // "exit status 3", "killed by signal 11 (Segmentation fault)", "still ran after 10 s".
  std::string text() const;
};

// A program that cannot be started is an error. May be called by several threads.
Result<RunResult> run_supervised(const RunRequest& request);

}  // namespace foretrace
