// foretrace analyze: runs analyses over a trace and reports what they find.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

#include "analyses/analysis.h"
#include "base/interrupt.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/analysis_run.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/schedule_file.h"
#include "cli/trace_options.h"
#include "findings/filter.h"
#include "report/report.h"
#include "trace/stream.h"

namespace foretrace {
namespace {

struct AnalyzeOptions {
  TraceOptions trace;
  std::vector<std::string> analyses;
  std::string format = "text";
  std::string output = "-";
  std::string strength = "predicted";
  std::string suppressions;
  std::string baseline;
  std::string finding;
  std::string witness;
  uint64_t budget = 100'000'000;
  // Options that analyses declare: by name, what was given.
  std::map<std::string, std::string> values;
  std::map<std::string, bool> flags;
};

class Analyze {
 public:
  explicit Analyze(const AnalyzeOptions& options) : options_(options) {}

  Result<int> run() {
    const Result<const Reporter*> reporter = reporter_named(options_.format);
    if (!reporter) return tl::unexpected(reporter.error());
    const std::optional<Strength> strength = strength_named(options_.strength);
    if (!strength) {
      return fail("--strength is predicted, certified or observed, not '{}'",
                  printable(options_.strength));
    }
    for (auto step : {&Analyze::read_filters, &Analyze::choose_analyses, &Analyze::run_analyses}) {
      if (const Result<void> done = (this->*step)(); !done) return tl::unexpected(done.error());
    }
    filter(*strength);
    if ((*reporter)->wants_excerpts) {
      if (const Result<void> done = draw_excerpts(); !done) return tl::unexpected(done.error());
    }
    if (const Result<void> done = write(**reporter); !done) return tl::unexpected(done.error());
    if (!options_.witness.empty()) {
      if (const Result<void> done = write_witness(); !done) return tl::unexpected(done.error());
    }
    return report_.findings.empty() ? kExitClean : kExitFindings;
  }

 private:
  static void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

  Result<void> read_filters() {
    Result<void> done;
    if (!options_.suppressions.empty()) {
      done = keep(Suppressions::read(options_.suppressions), suppressions_);
    }
    if (done && !options_.baseline.empty()) {
      done = keep(read_baseline(options_.baseline), baseline_);
    }
    return done;
  }

  template <typename T>
  static Result<void> keep(Result<T> result, T& target) {
    if (!result) return tl::unexpected(std::move(result.error()));
    target = std::move(*result);
    return {};
  }

  Result<void> choose_analyses() {
    for (const auto& [name, given] : options_.flags) {
      if (given) settings_.set(name, "");
    }
    for (const auto& [name, value] : options_.values) {
      if (value.empty()) continue;
      if (const Result<uint64_t> count = parse_count(value); !count) {
        return fail("--{}: {}", name, count.error().message);
      }
      settings_.set(name, value);
    }
    if (options_.analyses.empty()) {
      for (const AnalysisInfo& info : analyses()) chosen_.push_back(&info);
    }
    for (const std::string& name : options_.analyses) {
      const Result<const AnalysisInfo*> info = analysis_named(name);
      if (!info) return tl::unexpected(info.error());
      if (std::find(chosen_.begin(), chosen_.end(), *info) == chosen_.end()) {
        chosen_.push_back(*info);
      }
    }
    return {};
  }

  Result<void> run_analyses() {
    Result<std::unique_ptr<TraceStream>> stream =
        TraceStream::open(options_.trace.path, options_.trace.stream);
    if (!stream) return tl::unexpected(stream.error());
    catch_interrupt();
    AnalysisRuns runs(std::move(*stream), chosen_, settings_);
    if (const Result<void> done = runs.go_through(); !done) return done;
    runs.decide_candidates(options_.budget);
    for (const std::string& note : runs.notes()) say(note);
    report_ = runs.take_report();
    trace_ = runs.take_trace();
    return {};
  }

  void filter(Strength least) {
    std::vector<Finding> kept;
    for (Finding& finding : report_.findings) {
      if (!options_.finding.empty() && finding.id != options_.finding) continue;
      if (suppressions_.covers(finding)) {
        ++report_.suppressed;
      } else if (baseline_.contains(finding.id)) {
        ++report_.known;
      } else if (finding.strength < least) {
        ++report_.too_weak;
      } else {
        kept.push_back(std::move(finding));
      }
    }
    report_.findings = std::move(kept);
    for (const std::string& unused : suppressions_.unused()) say(unused);
  }

  // Needs a second look at the trace, which a pipe does not give.
  Result<void> draw_excerpts() {
    struct stat status = {};
    if (report_.findings.empty() || ::stat(options_.trace.path.c_str(), &status) != 0 ||
        !S_ISREG(status.st_mode)) {
      return {};
    }
    Result<std::unique_ptr<TraceStream>> stream =
        TraceStream::open(options_.trace.path, options_.trace.stream);
    if (!stream) return tl::unexpected(stream.error());
    Result<std::vector<Excerpt>> excerpts =
        collect_excerpts(**stream, report_.events, report_.findings);
    if (!excerpts) return tl::unexpected(excerpts.error());
    report_.excerpts = std::move(*excerpts);
    return {};
  }

  Result<void> write(const Reporter& reporter) const {
    Result<std::unique_ptr<ByteSink>> sink = open_output(options_.output);
    if (!sink) return tl::unexpected(sink.error());
    ReportStyle style;
    style.colour = options_.output == "-" && ::isatty(STDOUT_FILENO) == 1 &&
                   std::getenv("NO_COLOR") == nullptr;
    reporter.write(report_, style, **sink);
    return (*sink)->close();
  }

  // The schedule of the first finding that has one (of the one that --finding
  // names) as a trace of its own.
  Result<void> write_witness() const {
    for (const Finding& finding : report_.findings) {
      if (!finding.witness) continue;
      const Result<void> done = write_schedule(trace_, finding, options_.witness);
      if (done) say(fmt::format("wrote the schedule of {} to {}", finding.id, options_.witness));
      return done;
    }
    say("no finding has a schedule, so none was written");
    return {};
  }

  const AnalyzeOptions& options_;
  Suppressions suppressions_;
  std::unordered_set<std::string> baseline_;
  AnalysisSettings settings_;
  std::vector<const AnalysisInfo*> chosen_;
  Report report_;
  Trace trace_;
};

void add_analysis_options(CLI::App& app, AnalyzeOptions& options) {
  for (const AnalysisInfo& info : analyses()) {
    for (const AnalysisOption& option : info.options) {
      const std::string name = "--" + std::string(option.name);
      if (app.get_option_no_throw(name) != nullptr) continue;  // shared with another analysis
      if (option.value_name.empty()) {
        app.add_flag(name, options.flags[std::string(option.name)], std::string(option.help));
      } else {
        app.add_option(name, options.values[std::string(option.name)],
                       fmt::format("{} (default {})", option.help, option.default_value))
            ->type_name(std::string(option.value_name));
      }
    }
  }
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<AnalyzeOptions>();
  add_trace_options(app, options->trace);
  app.add_option(
         "--analysis", options->analyses,
         "The analyses to run, separated by commas (default: all; see 'foretrace analyses')")
      ->delimiter(',')
      ->type_name("NAME,…");
  std::vector<std::string> format_names;
  for (const Reporter& reporter : reporters()) format_names.emplace_back(reporter.name);
  add_choice(app, "--format", options->format, format_names, "How the report is written");
  app.add_option("-o,--output", options->output, "Where the report goes; - is standard output")
      ->type_name("FILE");
  add_choice(app, "--strength", options->strength, {"predicted", "certified", "observed"},
             "Report only findings that are at least this strong");
  app.add_option("--suppress", options->suppressions, "Leave out what the rules in FILE cover")
      ->type_name("FILE");
  app.add_option("--baseline", options->baseline,
                 "Leave out what the JSON report in FILE already has")
      ->type_name("FILE");
  app.add_option("--finding", options->finding, "Report only the finding with this id")
      ->type_name("ID");
  app.add_option("--witness", options->witness,
                 "Write the schedule of the first finding that has one to FILE, as a trace")
      ->type_name("FILE");
  add_count(app, "--budget", options->budget,
            "How much work the search for a schedule may take, for each candidate, in events");
  add_analysis_options(app, *options);
  return [options] { return Analyze(*options).run(); };
}

const CommandRegistration registration({
    .name = "analyze",
    .summary = "find concurrency errors in a trace",
    .examples =
        "  foretrace analyze run.ftr\n"
        "  foretrace analyze run.std.gz --analysis hb --format json -o findings.json\n"
        "  foretrace analyze new.ftr --baseline findings.json\n"
        "  foretrace generate --events 10M --races 3 | foretrace analyze - --analysis hb\n"
        "Exit status: 0 no findings, 1 findings, 2 bad command line or input, 3 our fault.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
