// foretrace record: runs a program and writes its trace.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/given_options.h"
#include "cli/kept_recording.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/trace_output.h"

namespace foretrace {
namespace {

struct Options {
  std::string output;
  std::string format;
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

// The recording itself, as it comes.
Result<void> write_recording(RecordedRun& run, const std::string& path) {
  Result<std::unique_ptr<ByteSink>> sink = open_output(path, Incomplete::kept);
  if (!sink) return tl::unexpected(sink.error());
  if (const Result<void> done = run.collect(**sink); !done) {
    say(done.error().message + "; the program went on, and what was recorded before can be read");
  } else if (path != "-") {
    say(fmt::format("recorded to {}", printable(path, 200)));
  }
  return {};
}

// In another format: the events, when the program has ended.
Result<void> write_trace(RecordedRun& run, const std::string& program, const Options& options) {
  const Result<std::shared_ptr<const RecordingFile>> file = record_to_spool(run, program, Kept::no);
  if (!file) return tl::unexpected(file.error());
  return write_events(*file, options.output, options.format, "recorded");
}

Result<int> run(CLI::App& app, const Options& options) {
  if (Result<void> done = apply_given_options(app); !done) return tl::unexpected(done.error());
  const Result<std::vector<std::string>> words = program_words(app);
  if (!words) return tl::unexpected(words.error());
  const Result<const Format*> format = output_format(options.output, options.format, "ftr");
  if (!format) return tl::unexpected(format.error());
  const LeaveSignalsToProgram leave;
  Result<std::unique_ptr<RecordedRun>> run = start_recorded(*words);
  if (!run) return tl::unexpected(run.error());
  const Result<void> written = (*format)->name == "ftr"
                                   ? write_recording(**run, options.output)
                                   : write_trace(**run, words->front(), options);
  if (const auto missing = (*run)->what_is_missing(words->front())) say(*missing);
  if (!written) return tl::unexpected(written.error());
  return (*run)->program.exit_status();
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->output,
                 "The file to write, compressed if it ends in .gz or .zst (default: trace.ftr)")
      ->type_name("FILE")
      ->default_val("trace.ftr");
  app.add_option("--output-format", options->format,
                 "The format to write, if the file's extension does not say it: " +
                     enumerated(writable_formats(), "or"))
      ->type_name("FORMAT");
  take_program_words(app);
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "record",
    .summary = "run a program that was built with Foretrace and write its trace",
    .examples = "  foretrace record -o run.ftr -- ./bank 1000\n"
                "  foretrace analyze run.ftr\n"
                "Options can also be in FORETRACE_OPTIONS and in foretrace.toml, under [record].\n"
                "Exit status: the program's.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
