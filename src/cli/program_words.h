// The program and its arguments at the end of a command line, as `run` and
// `record` have them: foretrace run [options] [--] PROGRAM [ARGUMENTS].
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "recording/live_reader.h"

namespace foretrace {

// Everything from the program's name on is left to the program.
void take_program_words(CLI::App& app);
Result<std::vector<std::string>> program_words(const CLI::App& app);

// A program that runs and is recorded.
struct RecordedRun {
  // Whatever went wrong here, the program runs to its end.
  ~RecordedRun();
  // Whether any process had the runtime in it.
  bool recorded_anything() const { return session->header().processes.load() > 0; }

  std::unique_ptr<Session> session;
  Program program;
  std::unique_ptr<LiveReader> reader;
};
Result<std::unique_ptr<RecordedRun>> start_recorded(const std::vector<std::string>& words);

// What to tell a user whose program recorded nothing.
std::string not_instrumented(const std::string& program);

}  // namespace foretrace
