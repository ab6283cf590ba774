#include "cli/analysis_report.h"

#include <algorithm>

#include "analyses/analysis.h"
#include "base/text.h"
#include "cli/analysis_run.h"
#include "cli/options.h"
#include "cli/schedule_file.h"
#include "findings/schedule.h"

namespace foretrace {
namespace {

class AnalysisReport {
 public:
  AnalysisReport(const TraceSource& source, const ReportOptions& options)
      : source_(source), options_(options) {}

  Result<Report> find() {
    Result<ReportOutput> output = analyze();
    if (!output) return tl::unexpected(output.error());
    output->filter(report_);
    return std::move(report_);
  }

  Result<bool> run() {
    Result<ReportOutput> output = analyze();
    if (!output) return tl::unexpected(output.error());
    Result<void> done = output->write(report_, [this]() -> Result<std::unique_ptr<TraceStream>> {
      if (source_.open_again == nullptr) return nullptr;
      return source_.open_again(trace_, needs_all_accesses());
    });
    if (done && !options_.witness.empty()) done = write_witness();
    if (!done) return tl::unexpected(done.error());
    return output->fails(report_);
  }

 private:
  static void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

  // Makes the report; returns where it goes.
  Result<ReportOutput> analyze() {
    Result<ReportOutput> output = ReportOutput::prepare(options_);
    if (!output) return output;
    for (auto step : {&AnalysisReport::choose_analyses, &AnalysisReport::run_analyses}) {
      if (const Result<void> done = (this->*step)(); !done) return tl::unexpected(done.error());
    }
    if (facts_ != nullptr) {
      output->set_library_of([this](std::string_view site) { return facts_->library_of(site); });
    }
    return output;
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

  bool needs_all_accesses() const {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [](const AnalysisInfo* info) { return !info->ignores_ordered_accesses; });
  }

  Result<void> run_analyses() {
    Result<std::unique_ptr<TraceStream>> stream = source_.open(needs_all_accesses());
    if (!stream) return tl::unexpected(stream.error());
    facts_ = (*stream)->facts();
    AnalysisRuns::OpenAgain open_again;
    if (source_.open_again != nullptr) {
      open_again = [this] { return source_.open_again(Trace(), needs_all_accesses()); };
    }
    AnalysisRuns runs(std::move(*stream), chosen_, settings_, std::move(open_again));
    if (const Result<void> done = runs.go_through(); !done) return done;
    if (const Result<void> done = runs.decide_candidates(options_.budget); !done) return done;
    for (const std::string& note : runs.notes()) say(note);
    report_ = runs.take_report();
    report_.trace_file = source_.file;
    if (facts_ != nullptr) {
      for (Finding& finding : report_.findings) {
        for (FindingEvent& event : finding.events) explain(event);
      }
    }
    trace_ = runs.take_trace();
    return {};
  }

  // Adds what else is known of the run: calls, and where the thread was started.
  void explain(FindingEvent& event) const {
    for (RunFacts::Call& call :
         facts_->calls(event.thread_number, event.index, event.site_number)) {
      event.calls.push_back({std::move(call.site), std::move(call.function)});
    }
    // Where a header was called from may have been shown as the place already.
    const auto shown =
        std::find_if(event.calls.begin(), event.calls.end(),
                     [&](const FindingCall& call) { return call.site == event.site; });
    if (shown != event.calls.end()) event.calls.erase(event.calls.begin(), shown + 1);
    event.thread_start = facts_->start_of(event.thread_number);
  }

  // The schedule of the first finding that has one (of the one that --finding
  // names) as a trace of its own.
  Result<void> write_witness() const {
    for (const Finding& finding : report_.findings) {
      if (!has_schedule(finding)) continue;
      const Result<void> done = write_schedule(trace_, finding, options_.witness);
      if (done) say(fmt::format("wrote the schedule of {} to {}", finding.id, options_.witness));
      return done;
    }
    say("no finding has a schedule, so none was written");
    return {};
  }

  const TraceSource& source_;
  const ReportOptions& options_;
  AnalysisSettings settings_;
  std::vector<const AnalysisInfo*> chosen_;
  std::shared_ptr<const RunFacts> facts_;  // null: nothing is known
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
  add_output_options(app, options);
  app.add_option("--witness", options.witness,
                 "Write the schedule of the first finding that has one to FILE, as a trace")
      ->type_name("FILE");
  add_count(app, "--budget", options.budget,
            "How much work the search for a schedule may take, for each error, in events");
  add_analysis_options(app, options);
}

Result<Report> find_errors(const TraceSource& source, const ReportOptions& options) {
  return AnalysisReport(source, options).find();
}

Result<bool> report_findings(const TraceSource& source, const ReportOptions& options) {
  return AnalysisReport(source, options).run();
}

}  // namespace foretrace
