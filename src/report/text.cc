// The report that people read in a terminal.
#include "base/text.h"

#include <algorithm>
#include <map>

#include "findings/violated_units.h"
#include "report/groups.h"
#include "report/picture.h"
#include "report/report.h"
#include "report/source_lines.h"
#include "report/words.h"

namespace foretrace {
namespace {

class TextReport {
 public:
  TextReport(const Report& report, const ReportStyle& style, ByteSink& sink)
      : report_(report), style_(style), sink_(sink) {}

  void write() {
    for (const Group& group : grouped(report_.findings)) write_group(group);
    write_units();
    for (const AnalysisRun& run : report_.analyses) write_figures(run);
    write_summary();
  }

 private:
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    sink_.write(fmt::format(format, std::forward<Args>(args)...));
  }
  std::string bold(const std::string& text) const {
    return style_.colour ? "\x1b[1m" + text + "\x1b[0m" : text;
  }
  std::string red(const std::string& text) const {
    return style_.colour ? "\x1b[1;31m" + text + "\x1b[0m" : text;
  }
  void print_if_any(const std::string& line) {
    if (!line.empty()) print("  {}\n", line);
  }

  void write_group(const Group& group) {
    const Finding& finding = report_.findings[group.leader];
    print("{}  ({} by {})\n", red(headline(finding)), name_of(finding.strength), finding.analysis);
    for (const FindingEvent& event : finding.events) write_event(event);
    print_if_any(finding.reason);
    print_if_any(decision_text(finding));
    print_if_any(folded_text(finding));
    for (const size_t i : group.same_error) {
      const Finding& other = report_.findings[i];
      print("  Also reported by {} ({}, {}).\n", other.analysis, name_of(other.strength), other.id);
    }
    print_if_any(same_places_text(group, report_.findings));
    if (group.leader < report_.excerpts.size()) {
      print("\n");
      for (const std::string& line : pictures(report_.excerpts[group.leader], finding)) {
        print("  {}\n", line);
      }
      print("\n");
    }
    print("  {}\n\n", finding.id);
  }

  void write_event(const FindingEvent& event) {
    print("  {}\n", event_sentence(event));
    if (const auto line = sources_.at(event.site)) {
      print("    {:>5} | {}\n", line->number, printable(line->text, 120));
    }
    for (const FindingCall& call : event.calls) {
      print("          called by {}{}\n", printable(call.function, 200),
            call.site.empty() ? "" : " at " + printable(call.site, 200));
    }
    if (!event.thread_start.empty()) {
      print("          thread {} was started {}\n", printable(event.thread),
            printable(event.thread_start, 200));
    }
  }

  // Which units were violated how often, and by whom, if there are several.
  void write_units() {
    const std::vector<ViolatedUnit> units = violated_units(report_.findings);
    if (units.size() < 2) return;
    constexpr size_t kShown = 20;
    print("{}\n", bold("units, the surest and most often violated first"));
    for (size_t i = 0; i < std::min(units.size(), kShown); ++i) {
      print("  {}: {} by {} ({})\n", printable(units[i].label), counted(units[i].times, "time"),
            culprits_text(units[i].culprits), name_of(units[i].strength));
    }
    if (units.size() > kShown) print("  and {} more\n", units.size() - kShown);
    print("\n");
  }

  static std::string culprits_text(const std::vector<Culprit>& culprits) {
    constexpr size_t kShown = 3;
    std::vector<std::string> names;
    for (const Culprit& culprit : culprits) {
      if (names.size() == kShown) break;
      std::string name = printable(culprit.where, 60);
      if (culprits.size() > 1) name += fmt::format(" ({})", with_commas(culprit.times));
      names.push_back(std::move(name));
    }
    if (culprits.size() > kShown) names.push_back("…");
    return fmt::format("{}", fmt::join(names, ", "));
  }

  void write_figures(const AnalysisRun& run) {
    if (run.figures.empty()) return;
    size_t names = 0;
    size_t texts = 0;
    for (const Figure& row : run.figures) {
      names = std::max(names, display_width(row.name));
      texts = std::max(texts, display_width(row.text));
    }
    print("{}\n", bold(run.name));
    for (const Figure& row : run.figures) {
      print("  {}  {:>{}}\n", padded(row.name, names), row.text, texts);
    }
    print("\n");
  }

  void write_summary() {
    print("{}\n", trace_line(report_));
    if (report_.findings.empty()) {
      std::vector<std::string> names;
      for (const AnalysisRun& run : report_.analyses) names.push_back(run.name);
      print("no findings ({})\n", fmt::join(names, ", "));
    } else {
      std::map<std::string, uint64_t> by_analysis;
      for (const Finding& finding : report_.findings) ++by_analysis[finding.analysis];
      std::vector<std::string> counts;
      for (const auto& [name, count] : by_analysis) {
        counts.push_back(fmt::format("{} {}", name, with_commas(count)));
      }
      print("{}: {} ({})\n", bold(counted(report_.findings.size(), "finding")),
            strengths_line(report_.findings), fmt::join(counts, ", "));
    }
    for (const std::string& line : caveats(report_)) print("{}\n", line);
  }

  const Report& report_;
  const ReportStyle& style_;
  ByteSink& sink_;
  SourceLines sources_;
};

const ReporterRegistration registration({
    .name = "text",
    .summary = "for people: what happened, where, why, and a picture of it",
    .wants_excerpts = true,
    .write = [](const Report& report, const ReportStyle& style,
                ByteSink& sink) { TextReport(report, style, sink).write(); },
});

}  // namespace
}  // namespace foretrace
