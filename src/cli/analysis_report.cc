#include "cli/analysis_report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "analyses/analysis.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/analysis_run.h"
#include "cli/options.h"
#include "cli/schedule_file.h"
#include "findings/filter.h"
#include "report/report.h"

namespace foretrace {
namespace {

class AnalysisReport {
 public:
  AnalysisReport(const TraceSource& source, const ReportOptions& options)
      : source_(source), options_(options) {}

  Result<bool> run() {
    const Result<const Reporter*> reporter = reporter_named(options_.format);
    if (!reporter) return tl::unexpected(reporter.error());
    const std::optional<Strength> strength = strength_named(options_.strength);
    if (!strength) {
      return fail("--strength is predicted, certified or observed, not '{}'",
                  printable(options_.strength));
    }
    for (auto step : {&AnalysisReport::read_filters, &AnalysisReport::choose_analyses,
                      &AnalysisReport::run_analyses}) {
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
    return !report_.findings.empty();
  }

 private:
  static void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

  Result<void> read_filters() {
    Result<void> done;
    if (!options_.suppressions.empty()) {
      done = keep(Suppressions::read(options_.suppressions), suppressions_);
    }
    if (!options_.no_built_in) built_in_ = Suppressions::built_in();
    suppressions_.set_library_of(source_.library_of);
    built_in_.set_library_of(source_.library_of);
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
    for (const auto& [name, value] : options_.choices) settings_.set(name, value);
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
    Result<std::unique_ptr<TraceStream>> stream = source_.open();
    if (!stream) return tl::unexpected(stream.error());
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
      } else if (built_in_.covers(finding)) {
        ++report_.built_in;
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
    if (report_.findings.empty()) return {};
    Result<std::unique_ptr<TraceStream>> stream = source_.open_again(trace_);
    if (!stream) return tl::unexpected(stream.error());
    if (*stream == nullptr) return {};
    Result<std::vector<Excerpt>> excerpts =
        collect_excerpts(**stream, report_.events, report_.findings);
    if (!excerpts) return tl::unexpected(excerpts.error());
    report_.excerpts = std::move(*excerpts);
    return {};
  }

  Result<void> write(const Reporter& reporter) const {
    if (options_.output.empty()) return write_to_standard_error(reporter);
    Result<std::unique_ptr<ByteSink>> sink = open_output(options_.output);
    if (!sink) return tl::unexpected(sink.error());
    reporter.write(report_, style(options_.output == "-" ? STDOUT_FILENO : -1), **sink);
    return (*sink)->close();
  }

  Result<void> write_to_standard_error(const Reporter& reporter) const {
    std::string text;
    reporter.write(report_, style(STDERR_FILENO), *string_output(text));
    std::fwrite(text.data(), 1, text.size(), stderr);
    return {};
  }

  static ReportStyle style(int fd) {
    ReportStyle style;
    style.colour = fd >= 0 && ::isatty(fd) == 1 && std::getenv("NO_COLOR") == nullptr;
    return style;
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

  const TraceSource& source_;
  const ReportOptions& options_;
  Suppressions suppressions_;
  Suppressions built_in_;
  std::unordered_set<std::string> baseline_;
  AnalysisSettings settings_;
  std::vector<const AnalysisInfo*> chosen_;
  Report report_;
  Trace trace_;
};

void add_analysis_options(CLI::App& app, ReportOptions& options) {
  for (const AnalysisInfo& info : analyses()) {
    for (const AnalysisOption& option : info.options) {
      const std::string name = "--" + std::string(option.name);
      if (app.get_option_no_throw(name) != nullptr) continue;  // shared with another analysis
      if (!option.choices.empty()) {
        std::string& target = options.choices[std::string(option.name)];
        target = option.default_value;
        add_choice(app, name, target, {option.choices.begin(), option.choices.end()},
                   std::string(option.help));
      } else if (option.value_name.empty()) {
        app.add_flag(name, options.flags[std::string(option.name)], std::string(option.help));
      } else {
        app.add_option(name, options.values[std::string(option.name)],
                       fmt::format("{} (default {})", option.help, option.default_value))
            ->type_name(std::string(option.value_name));
      }
    }
  }
}

}  // namespace

void add_report_options(CLI::App& app, ReportOptions& options) {
  app.add_option(
         "--analysis", options.analyses,
         fmt::format(
             "The analyses to run, separated by commas (default: {}; see 'foretrace analyses')",
             options.analyses.empty() ? "all"
                                      : fmt::format("{}", fmt::join(options.analyses, ","))))
      ->delimiter(',')
      ->allow_extra_args(false)  // the next word is the trace, or the program
      ->type_name("NAME,…");
  std::vector<std::string> format_names;
  for (const Reporter& reporter : reporters()) format_names.emplace_back(reporter.name);
  add_choice(app, "--format", options.format, format_names, "How the report is written");
  app.add_option("-o,--output", options.output,
                 options.output.empty()
                     ? "Where the report goes (default: standard error); - is standard output"
                     : "Where the report goes; - is standard output")
      ->type_name("FILE");
  add_choice(app, "--strength", options.strength, {"predicted", "certified", "observed"},
             "Report only findings that are at least this strong");
  app.add_option("--suppress", options.suppressions, "Leave out what the rules in FILE cover")
      ->type_name("FILE");
  app.add_flag("--no-built-in", options.no_built_in,
               "Also report what is suppressed for everybody: known noise of system libraries");
  app.add_option("--baseline", options.baseline,
                 "Leave out what the JSON report in FILE already has")
      ->type_name("FILE");
  app.add_option("--finding", options.finding, "Report only the finding with this id")
      ->type_name("ID");
  app.add_option("--witness", options.witness,
                 "Write the schedule of the first finding that has one to FILE, as a trace")
      ->type_name("FILE");
  add_count(app, "--budget", options.budget,
            "How much work the search for a schedule may take, for each candidate, in events");
  add_analysis_options(app, options);
}

Result<bool> report_findings(const TraceSource& source, const ReportOptions& options) {
  return AnalysisReport(source, options).run();
}

}  // namespace foretrace
