// foretrace record: runs a program and writes its trace.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/given_options.h"
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

// Reads to the end even if the trace cannot be written any more (the disk is
// full): the program must not wait for ever.
Result<void> copy(LiveReader& reader, TraceOutput& output) {
  EventBuffer buffer;
  Result<void> written;
  for (;;) {
    if (Result<void> done = reader.read(buffer); !done) return done;
    if (buffer.events.empty()) return written;
    if (!written) continue;
    written = output.write(buffer.batch());
    if (!written) say(written.error().message + "; the program goes on, the rest is not recorded");
  }
}

Result<int> run(CLI::App& app, const Options& options) {
  if (Result<void> done = apply_given_options(app); !done) return tl::unexpected(done.error());
  const Result<std::vector<std::string>> words = program_words(app);
  if (!words) return tl::unexpected(words.error());
  const LeaveSignalsToProgram leave;
  Result<std::unique_ptr<RecordedRun>> run = start_recorded(*words);
  if (!run) return tl::unexpected(run.error());
  LiveReader& reader = *(*run)->reader;
  Result<TraceOutput> output =
      TraceOutput::open(options.output, options.format, "ftr", reader.symbols());
  if (!output) return tl::unexpected(output.error());
  if (Result<void> done = copy(reader, *output); !done) return tl::unexpected(done.error());
  for (const std::string& note : reader.notes()) say(note);
  if (!(*run)->recorded_anything()) say(not_instrumented(words->front()));
  if (Result<void> done = output->finish("recorded"); !done) return tl::unexpected(done.error());
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
