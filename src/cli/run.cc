// foretrace run: runs a program, analyses what it did, and reports the findings.
#include <chrono>

#include <fmt/format.h>

#include "cli/analysis_report.h"
#include "cli/command.h"
#include "cli/given_options.h"
#include "cli/kept_recording.h"
#include "cli/live_report.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/trace_options.h"
#include "cli/trace_output.h"
#include "recording/recording_reader.h"
#include "trace/memory_reader.h"

namespace foretrace {
namespace {

struct Options {
  // Locks of C and C++ programs need not nest.
  Options() { stream.well_formed.unnested = true; }
  StreamOptions stream;
  ReportOptions report;
  std::string keep;
  double live = 0;  // seconds; 0: only when the program has ended
  std::string exit = "program";
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

class Run {
 public:
  Run(const std::vector<std::string>& words, const Options& options)
      : words_(words), options_(options) {}

  Result<int> run() {
    const LeaveSignalsToProgram leave;
    if (!options_.keep.empty()) {
      if (const auto format = output_format(options_.keep, "", "ftr", HasFormatOption::no);
          !format) {
        return tl::unexpected(format.error());
      }
    }
    Result<std::unique_ptr<RecordedRun>> recorded = start_recorded(words_);
    if (!recorded) return tl::unexpected(recorded.error());
    const Result<Recording> file = record(**recorded);
    if (!file) return tl::unexpected(file.error());
    const Result<bool> found = report_findings(source(*file), options_.report);
    if (!found) return tl::unexpected(found.error());
    if (!options_.keep.empty()) {
      if (Result<void> done = keep_recording(*file, options_.keep); !done) {
        return tl::unexpected(done.error());
      }
    }
    if (const auto missing = (*recorded)->what_is_missing(words_.front())) say(*missing);
    if (options_.exit == "findings") return *found ? kExitFindings : kExitClean;
    return (*recorded)->program.exit_status();
  }

 private:
  using Stream = Result<std::unique_ptr<TraceStream>>;
  using Recording = std::shared_ptr<const RecordingFile>;

  Result<Recording> record(RecordedRun& recorded) const {
    const Kept kept = options_.keep.empty() ? Kept::no : Kept::yes;
    if (options_.live == 0) return record_to_spool(recorded, words_.front(), kept);
    LiveReport live(
        words_.front(), std::chrono::duration<double>(options_.live),
        [this](const Recording& file) { return find_errors(source(file), options_.report); });
    return record_to_spool(recorded, words_.front(), kept, [&](Collector& collector, Spool& spool) {
      live.consider(collector, spool);
    });
  }

  TraceSource source(const Recording& file) const {
    return {
        .file = options_.keep,
        .open = [this, file](bool all) { return stream(RecordingReader::open(file), all); },
        .open_again =
            [this, file](const Trace& kept, bool all) {
              return kept.events.empty() ? stream(RecordingReader::open(file), all)
                                         : stream(read_from_memory(words_.front(), kept), all);
            },
    };
  }

  template <typename Reader>
  Stream stream(Result<std::unique_ptr<Reader>> reader, bool all) const {
    if (!reader) return tl::unexpected(reader.error());
    StreamOptions options = options_.stream;
    options.leave_out_ordered_accesses = !all;
    return std::make_unique<TraceStream>(std::move(*reader), options);
  }

  const std::vector<std::string>& words_;
  const Options& options_;
};

Result<int> run(CLI::App& app, const Options& options) {
  if (Result<void> done = apply_given_options(app); !done) return tl::unexpected(done.error());
  const Result<std::vector<std::string>> words = program_words(app);
  if (!words) return tl::unexpected(words.error());
  return Run(*words, options).run();
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  options->report.output.clear();
  options->report.analyses = {"cp", "deadlock", "hb", "mb", "race", "sidetrack"};
  add_report_options(app, options->report);
  add_units_option(app, options->stream);
  app.add_option("--keep", options->keep, "Also write the trace to FILE")->type_name("FILE");
  app.add_option("--live", options->live,
                 "Also analyse what was recorded so far, every SECONDS while the program runs, "
                 "and say each error as soon as it is known")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.01, 1e6));
  add_choice(app, "--exit", options->exit, {"program", "findings"},
             "Whose exit status this is: the program's, or 1 for findings and 0 for none");
  take_program_words(app);
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "run",
    .summary = "run a program that was built with Foretrace and report what could go wrong",
    .examples = "  foretrace run -- ./bank 1000\n"
                "  foretrace run --exit findings -o findings.json --format json -- ./test_bank\n"
                "  foretrace run --live 10 -- ./server --port 8080\n"
                "  foretrace run --keep run.ftr --analysis hb,race -- ./bank\n"
                "Options can also be in FORETRACE_OPTIONS and in foretrace.toml, under [run].\n"
                "Exit status: the program's; with --exit findings 1 if there are any, else 0.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
