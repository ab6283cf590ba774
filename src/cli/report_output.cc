#include "cli/report_output.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include <unistd.h>

#include "base/text.h"
#include "cli/options.h"
#include "findings/finding_json.h"
#include "findings/folding.h"

namespace foretrace {
namespace {

ReportStyle style(int fd) {
  ReportStyle style;
  style.colour = fd >= 0 && ::isatty(fd) == 1 && std::getenv("NO_COLOR") == nullptr;
  return style;
}

template <typename T>
Result<void> keep(Result<T> result, T& target) {
  if (!result) return tl::unexpected(std::move(result.error()));
  target = std::move(*result);
  return {};
}

// What the baseline has and this run has not, in the order of their ids.
std::vector<LeftOut> absent(const Baseline& baseline, const std::vector<Finding>& findings) {
  if (baseline.empty()) return {};
  std::unordered_set<std::string> present;
  for (const Finding& finding : findings) {
    present.insert(finding.id);
    if (folded_into(finding) == 0) continue;
    for (const Finding& one : unfolded(finding)) present.insert(one.id);
  }
  std::vector<LeftOut> gone;
  for (const auto& [id, json] : baseline) {
    if (present.contains(id)) continue;
    Result<Finding> finding = finding_from_json(json);
    if (!finding) continue;
    gone.push_back({std::move(unfolded(std::move(*finding))[0]), LeftOut::Why::absent, ""});
  }
  std::sort(gone.begin(), gone.end(),
            [](const LeftOut& a, const LeftOut& b) { return a.finding.id < b.finding.id; });
  return gone;
}

// The name of the output says the format, if nothing else does.
std::string format_for(const std::string& output) {
  if (output.ends_with(".html")) return "html";
  if (output.ends_with(".sarif")) return "sarif";
  if (output.ends_with(".md")) return "markdown";
  if (output.ends_with(".xml")) return "junit";
  if (output.ends_with(".json")) return "json";
  return "text";
}

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& options) {
  std::vector<std::string> format_names;
  for (const Reporter& reporter : reporters()) format_names.emplace_back(reporter.name);
  add_choice(app, "--format", options.format, format_names,
             "How the report is written (default: by the output's name, or text)");
  app.add_option("-o,--output", options.output,
                 options.output.empty()
                     ? "Where the report goes (default: standard error); - is standard output"
                     : "Where the report goes; - is standard output")
      ->type_name("FILE");
  add_choice(app, "--strength", options.strength, {"predicted", "certified", "observed"},
             "Report only findings that are at least this strong");
  add_choice(app, "--fail-on", options.fail_on, {"predicted", "certified", "new"},
             "Exit status 1 only for findings in the report that are at least this strong; new: "
             "for any that the baseline does not have");
  app.add_option("--suppress", options.suppressions, "Leave out what the rules in FILE cover")
      ->type_name("FILE");
  app.add_flag("--no-built-in", options.no_built_in,
               "Also report what is suppressed for everybody: known noise of system libraries");
  app.add_option("--baseline", options.baseline,
                 "Leave out what the JSON report in FILE already has")
      ->type_name("FILE");
  app.add_option("--finding", options.finding, "Report only the finding with this id")
      ->type_name("ID");
}

Result<ReportOutput> ReportOutput::prepare(const OutputOptions& options) {
  ReportOutput output(options);
  const Result<const Reporter*> reporter =
      reporter_named(options.format.empty() ? format_for(options.output) : options.format);
  if (!reporter) return tl::unexpected(reporter.error());
  output.reporter_ = *reporter;
  if (!(*reporter)->missing.empty()) return fail("{}", (*reporter)->missing);
  const std::optional<Strength> strength = strength_named(options.strength);
  if (!strength) {
    return fail("--strength is predicted, certified or observed, not '{}'",
                printable(options.strength));
  }
  output.least_ = *strength;
  if (options.fail_on == "new" && options.baseline.empty()) {
    return fail("--fail-on new needs --baseline FILE, to tell what is new");
  }
  Result<void> done;
  if (!options.suppressions.empty()) {
    done = keep(Suppressions::read(options.suppressions), output.suppressions_);
  }
  if (!options.no_built_in) output.built_in_ = Suppressions::built_in();
  if (done && !options.baseline.empty()) {
    done = keep(read_baseline(options.baseline), output.baseline_);
  }
  if (!done) return tl::unexpected(done.error());
  return output;
}

void ReportOutput::set_library_of(const Suppressions::LibraryOf& library_of) {
  suppressions_.set_library_of(library_of);
  built_in_.set_library_of(library_of);
}

Result<void> ReportOutput::write(Report& report, const OpenAgain& open_again) {
  filter(report);
  if (const Result<void> done = draw(report, open_again); !done) return done;
  return send(report);
}

bool ReportOutput::fails(const Report& report) const {
  const Strength least =
      options_.fail_on == "certified" ? Strength::certified : Strength::predicted;
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const Finding& finding) { return finding.strength >= least; });
}

// The finding, unless it is to be left out.
std::optional<Finding> ReportOutput::filtered(Finding finding, Report& report) {
  if (!options_.finding.empty() && finding.id != options_.finding) return std::nullopt;
  if (const std::string* const rule = suppressions_.covers(finding)) {
    ++report.suppressed;
    report.left_out.push_back({std::move(finding), LeftOut::Why::suppressed, *rule});
  } else if (const std::string* const known_noise = built_in_.covers(finding)) {
    ++report.built_in;
    report.left_out.push_back({std::move(finding), LeftOut::Why::suppressed, *known_noise});
  } else if (baseline_.contains(finding.id)) {
    ++report.known;
    report.left_out.push_back({std::move(finding), LeftOut::Why::known, ""});
  } else if (finding.strength < least_) {
    ++report.too_weak;
  } else {
    return finding;
  }
  return std::nullopt;
}

void ReportOutput::filter(Report& report) {
  report.has_baseline = !options_.baseline.empty();
  std::vector<LeftOut> gone = absent(baseline_, report.findings);
  std::vector<Finding> kept;
  for (Finding& finding : report.findings) {
    std::vector<Finding> left;
    for (Finding& one : unfolded(std::move(finding))) {
      if (std::optional<Finding> wanted = filtered(std::move(one), report)) {
        left.push_back(std::move(*wanted));
      }
    }
    if (!left.empty()) kept.push_back(folded(std::move(left)));
  }
  report.findings = std::move(kept);
  report.left_out.insert(report.left_out.end(), std::make_move_iterator(gone.begin()),
                         std::make_move_iterator(gone.end()));
  for (const std::string& unused : suppressions_.unused()) {
    fmt::print(stderr, "foretrace: {}\n", unused);
  }
}

// Needs a second look at the trace, which a pipe does not give.
Result<void> ReportOutput::draw(Report& report, const OpenAgain& open_again) const {
  if (report.findings.empty()) return {};
  if (reporter_->wants_excerpts) {
    Result<std::unique_ptr<TraceStream>> stream = open_again();
    if (!stream) return tl::unexpected(stream.error());
    if (*stream == nullptr) return {};
    Result<std::vector<Excerpt>> excerpts =
        collect_excerpts(**stream, report.events, report.findings);
    if (!excerpts) return tl::unexpected(excerpts.error());
    report.excerpts = std::move(*excerpts);
  }
  if (reporter_->wants_events) {
    Result<std::unique_ptr<TraceStream>> stream = open_again();
    if (!stream) return tl::unexpected(stream.error());
    if (*stream == nullptr) return {};
    Result<EventTable> events = collect_events(**stream, report.events, report.findings);
    if (!events) return tl::unexpected(events.error());
    report.event_table = std::move(*events);
  }
  return {};
}

Result<void> ReportOutput::send(const Report& report) const {
  if (options_.output.empty()) {
    std::string text;
    reporter_->write(report, style(STDERR_FILENO), *string_output(text));
    std::fwrite(text.data(), 1, text.size(), stderr);
    return {};
  }
  Result<std::unique_ptr<ByteSink>> sink = open_output(options_.output);
  if (!sink) return tl::unexpected(sink.error());
  reporter_->write(report, style(options_.output == "-" ? STDOUT_FILENO : -1), **sink);
  return (*sink)->close();
}

}  // namespace foretrace
