// foretrace reduce: the smallest trace that still has a finding.
#include <memory>

#include "analyses/analysis.h"
#include "base/interrupt.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/trace_options.h"
#include "reduce/reducer.h"
#include "trace/stream.h"

namespace foretrace {
namespace {

struct Options {
  TraceOptions trace;
  std::string keep;
  std::string output = "-";
  std::string names = "short";
  uint64_t budget = 100'000'000;
};

class Reduce {
 public:
  explicit Reduce(const Options& options) : options_(options) {}

  Result<int> run() {
    const std::optional<FindingId> id = parse_id(options_.keep);
    if (!id) {
      return fail("'{}' is not the id of a finding; 'foretrace analyze' prints them",
                  printable(options_.keep));
    }
    const Result<const AnalysisInfo*> analysis = analysis_named(id->analysis);
    if (!analysis) return tl::unexpected(analysis.error());
    catch_interrupt();
    if (Result<void> done = load(); !done) return tl::unexpected(done.error());
    const AnalysisSettings settings;
    const FindingOracle oracle(**analysis, settings, options_.budget);
    std::vector<Finding> findings = oracle.find(trace_, id->common);
    if (findings.size() < id->number) {
      return fail(
          "{} does not have the finding {}; 'foretrace analyze {} --analysis {}' lists "
          "what it has",
          source_, options_.keep, options_.trace.path, id->analysis);
    }
    finding_ = std::move(findings[id->number - 1]);
    reduce(oracle);
    return write();
  }

 private:
  Result<void> load() {
    Result<NamedTrace> read = read_trace(options_.trace);
    if (!read) return tl::unexpected(read.error());
    source_ = std::move(read->source);
    trace_ = std::move(read->trace);
    well_formed_ = options_.trace.stream.well_formed;
    well_formed_.unnested |= read->is_unnested;
    // Values are not kept: in a part of the trace they would not be right.
    for (Event& event : trace_.events) event.has_value = event.big_value = 0;
    return {};
  }

  void reduce(const FindingOracle& oracle) {
    Progress progress("reducing " + source_, "events left");
    Reducer reducer(trace_, finding_, oracle,
                    {.well_formed = well_formed_, .progress = [&](size_t left) {
                       progress.update(std::nullopt, left);
                       return !interrupted();
                     }});
    small_ = reducer.run();
    stopped_ = reducer.stopped();
    small_finding_ = finding_in(small_, oracle);
    if (options_.names != "short") return;
    Trace renamed = with_short_names(small_);
    // An analysis may take something from names; then they have to stay.
    if (std::optional<Finding> same = finding_in(renamed, oracle)) {
      small_ = std::move(renamed);
      small_finding_ = std::move(same);
    }
  }

  // The finding of that kind and strength, whatever its names.
  std::optional<Finding> finding_in(const Trace& trace, const FindingOracle& oracle) const {
    for (Finding& finding : oracle.find_all(trace)) {
      if (finding.analysis == finding_.analysis && finding.kind == finding_.kind &&
          finding.strength == finding_.strength &&
          finding.events.size() == finding_.events.size()) {
        return std::move(finding);
      }
    }
    return std::nullopt;
  }

  Result<int> write() const {
    Result<std::unique_ptr<ByteSink>> sink = open_output(options_.output);
    if (!sink) return tl::unexpected(sink.error());
    const Format* const named = format_of_file_name(options_.output);
    const Format& format = named == nullptr ? **format_named("tiddle") : *named;
    if (format.name == "tiddle") (*sink)->write(header());
    const std::unique_ptr<TraceWriter> writer = format.writer(**sink, *small_.symbols);
    Result<void> done = writer->write(small_.batch());
    if (done) done = writer->finish();
    if (done) done = (*sink)->close();
    if (!done) return tl::unexpected(done.error());
    if (options_.output != "-") {
      fmt::print(stderr, "foretrace: {} of {} are left, in {}{}\n",
                 counted(small_.events.size(), "event"), with_commas(trace_.events.size()),
                 options_.output, stopped_ ? " (interrupted: it may get smaller)" : "");
    }
    return kExitClean;
  }

  std::string header() const {
    std::string text =
        fmt::format("# {}: {} ({}).\n# {} of {} of {} are left{}.\n", finding_.id,
                    printable(finding_.message, 500), name_of(finding_.strength),
                    counted(small_.events.size(), "event"), with_commas(trace_.events.size()),
                    printable(source_), stopped_ ? "; interrupted before it was minimal" : "");
    if (small_finding_ && small_finding_->id != finding_.id) {
      text += fmt::format("# In this trace it is {}.\n", small_finding_->id);
    }
    return text + "\n";
  }

  const Options& options_;
  std::string source_;
  Trace trace_;
  WellFormedOptions well_formed_;
  Finding finding_;
  Trace small_;
  std::optional<Finding> small_finding_;
  bool stopped_ = false;
};

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  add_units_option(app, options->trace.stream);
  app.add_option("--keep", options->keep, "The id of the finding that the small trace must have")
      ->required()
      ->type_name("FINDING-ID");
  app.add_option("-o,--output", options->output,
                 "The file to write, as Tiddle unless its extension says otherwise; - is standard "
                 "output")
      ->type_name("FILE");
  add_choice(app, "--names", options->names, {"short", "same"},
             "Whether threads, locations and locks get short names or stay as they are");
  add_count(app, "--budget", options->budget,
            "How much work the search for a schedule may take, each time, in events");
  return [options] { return Reduce(*options).run(); };
}

const CommandRegistration registration({
    .name = "reduce",
    .summary = "make a trace as small as it can be without losing a finding",
    .examples = "  foretrace analyze run.ftr --analysis race\n"
                "  foretrace reduce run.ftr --keep race-13fb3a47a4f16e63 -o small.tiddle\n"
                "  foretrace analyze small.tiddle",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
