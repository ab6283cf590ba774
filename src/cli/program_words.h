// The program and its arguments at the end of a command line, as `run` and
// `record` have them: foretrace run [options] [--] PROGRAM [ARGUMENTS].
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/output.h"
#include "recording/collector.h"
#include "recording/program.h"
#include "recording/recording_file.h"
#include "recording/session.h"

namespace foretrace {

// Everything from the program's name on is left to the program.
void take_program_words(CLI::App& app);
Result<std::vector<std::string>> program_words(const CLI::App& app);

// A program that runs and is recorded.
struct RecordedRun {
  // Whatever went wrong here, the program runs to its end.
  ~RecordedRun();
  // What to tell a user if not all was recorded, or nothing.
  std::optional<std::string> what_is_missing(const std::string& name) const;

  // Copies the recording to the sink until the program has ended, and closes the
  // sink. If that fails (the disk is full), the program goes on all the same.
  // `meanwhile` is called some times a second. `plain_bytes`: see Collector.
  Result<void> collect(
      ByteSink& sink, uint64_t plain_bytes = 0,
      const std::function<void(Collector&)>& meanwhile = [](Collector&) {});

  std::unique_ptr<Session> session;
  Program program;
};
Result<std::unique_ptr<RecordedRun>> start_recorded(const std::vector<std::string>& words);

// Whether a recording is written again, to a file that stays.
enum class Kept { no, yes };

// Runs the program to its end, with its recording in a temporary file. If not all of
// that could be written, says so; what there is can be read. `name` is for messages.
Result<std::shared_ptr<const RecordingFile>> record_to_spool(
    RecordedRun& run, const std::string& name, Kept kept,
    const std::function<void(Collector&, Spool&)>& meanwhile = [](Collector&, Spool&) {});

// What to tell a user whose program recorded nothing.
std::string not_instrumented(const std::string& program);

}  // namespace foretrace
