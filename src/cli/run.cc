// foretrace run: runs a program, analyses what it did when it has ended, and
// reports the findings.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cli/analysis_report.h"
#include "cli/command.h"
#include "cli/given_options.h"
#include "cli/kept_recording.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/trace_options.h"
#include "cli/trace_output.h"
#include "recording/debug_info.h"
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
      if (const auto format = output_format(options_.keep, "", "ftr"); !format) {
        return tl::unexpected(format.error());
      }
    }
    Result<std::unique_ptr<RecordedRun>> started = start_recorded(words_);
    if (!started) return tl::unexpected(started.error());
    recorded_ = std::move(*started);
    Result<std::shared_ptr<const RecordingFile>> file = record_to_spool(*recorded_, words_.front());
    if (!file) return tl::unexpected(file.error());
    file_ = std::move(*file);
    Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(file_);
    if (!reader) return tl::unexpected(reader.error());
    reader_ = std::move(*reader);
    const Result<bool> found = report_findings(source(), options_.report);
    if (!found) return tl::unexpected(found.error());
    if (!options_.keep.empty()) {
      if (Result<void> done = keep_recording(file_, options_.keep); !done) {
        return tl::unexpected(done.error());
      }
    }
    if (!recorded_->recorded_anything()) say(not_instrumented(words_.front()));
    if (options_.exit == "findings") return *found ? kExitFindings : kExitClean;
    return recorded_->program.exit_status();
  }

 private:
  using Stream = Result<std::unique_ptr<TraceStream>>;

  TraceSource source() {
    return {
        .file = options_.keep,
        .open = [this](bool all) -> Stream { return stream(std::move(reader_), all); },
        .open_again = [this](const Trace& kept, bool all) -> Stream {
          if (kept.events.empty()) {
            Result<std::unique_ptr<RecordingReader>> reader = RecordingReader::open(file_);
            if (!reader) return tl::unexpected(reader.error());
            return stream(std::move(*reader), all);
          }
          Result<std::unique_ptr<TraceReader>> reader = read_from_memory(words_.front(), kept);
          if (!reader) return tl::unexpected(reader.error());
          return stream(std::move(*reader), all);
        },
        .library_of = libraries(),
        .explain = explanations(),
    };
  }

  // By the text of a site; the index is made when it is asked for first.
  std::function<std::string(std::string_view)> libraries() const {
    struct Index {
      std::shared_ptr<const SiteNotes> notes;
      std::shared_ptr<const Symbols> symbols;
      std::map<std::string, std::string, std::less<>> by_text;
    };
    const auto index =
        std::make_shared<Index>(Index{reader_->site_notes(), reader_->shared_symbols(), {}});
    return [index](std::string_view site) -> std::string {
      if (index->by_text.empty()) {
        for (const auto& [id, library] : index->notes->libraries) {
          index->by_text[index->symbols->site_text(id)] = library;
        }
      }
      const auto found = index->by_text.find(site);
      return found != index->by_text.end() ? found->second : "";
    };
  }

  std::function<void(FindingEvent&)> explanations() const {
    return [log = reader_->log(), notes = reader_->site_notes(),
            symbols = reader_->shared_symbols()](FindingEvent& event) {
      const auto inlined = notes->inlined.find(event.site_number);
      if (inlined != notes->inlined.end()) {
        for (const CodeFrame& frame : inlined->second) event.calls.push_back(call_of(frame));
      }
      for (const CodeFrame& frame : log->stacks.frames_at(event.thread_number, event.index)) {
        if (!is_system_file(frame.file)) event.calls.push_back(call_of(frame));
      }
      // Where a header was called from may have been shown as the place already.
      const auto shown =
          std::find_if(event.calls.begin(), event.calls.end(),
                       [&](const FindingCall& call) { return call.site == event.site; });
      if (shown != event.calls.end()) event.calls.erase(event.calls.begin(), shown + 1);
      const auto start = log->starts.find(event.thread_number);
      if (start == log->starts.end()) return;
      const std::string site = symbols->site_text(start->second.site);
      event.thread_start = fmt::format("by {}{}", symbols->thread(start->second.by),
                                       site.empty() ? "" : " at " + site);
    };
  }

  static FindingCall call_of(const CodeFrame& frame) {
    std::string site = frame.file;
    if (frame.line != 0) site += fmt::format(":{}", frame.line);
    if (frame.line != 0 && frame.column != 0) site += fmt::format(":{}", frame.column);
    return {site, frame.function};
  }

  std::unique_ptr<TraceStream> stream(std::unique_ptr<TraceReader> reader, bool all) const {
    StreamOptions options = options_.stream;
    options.leave_out_ordered_accesses = !all;
    return std::make_unique<TraceStream>(std::move(reader), options);
  }

  const std::vector<std::string>& words_;
  const Options& options_;
  std::unique_ptr<RecordedRun> recorded_;
  std::shared_ptr<const RecordingFile> file_;
  std::unique_ptr<RecordingReader> reader_;  // until the analyses have it
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
                "  foretrace run --keep run.ftr --analysis hb,race -- ./bank\n"
                "Options can also be in FORETRACE_OPTIONS and in foretrace.toml, under [run].\n"
                "Exit status: the program's; with --exit findings 1 if there are any, else 0.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
