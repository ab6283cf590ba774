// JUnit's XML, which CI systems show: one test for each analysis that found
// nothing, one failed test for each error.
#include <map>

#include "base/text.h"
#include "report/groups.h"
#include "report/picture.h"
#include "report/report.h"
#include "report/words.h"

namespace foretrace {
namespace {

// Printable first: XML has no way to write most control characters.
std::string escaped(std::string_view text, size_t limit = 4000) {
  std::string result;
  for (const char c : printable(text, limit)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

struct Suite {
  std::string name;
  double seconds = 0;
  uint64_t tests = 0;
  uint64_t failures = 0;
  uint64_t skipped = 0;
  std::string cases;
};

class JUnit {
 public:
  explicit JUnit(const Report& report) : report_(report) {
    for (const AnalysisRun& run : report.analyses) suite(run.name).seconds = run.seconds;
  }

  void write(ByteSink& sink) {
    for (const Group& group : grouped(report_.findings)) add_failure(group);
    for (const LeftOut& left_out : report_.left_out) add_skipped(left_out);
    for (Suite& one : suites_) {
      if (one.tests > 0) continue;
      ++one.tests;
      one.cases = fmt::format("    <testcase classname=\"foretrace.{0}\" name=\"{0}\"/>\n",
                              escaped(one.name));
    }
    Suite all;
    for (const Suite& one : suites_) {
      all.tests += one.tests;
      all.failures += one.failures;
      all.skipped += one.skipped;
    }
    sink.write(
        fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<testsuites name=\"foretrace\" tests=\"{}\" failures=\"{}\" "
                    "errors=\"0\" skipped=\"{}\">\n",
                    all.tests, all.failures, all.skipped));
    for (const Suite& one : suites_) write_suite(one, sink);
    sink.write("</testsuites>\n");
  }

 private:
  Suite& suite(const std::string& name) {
    const auto [entry, fresh] = places_.try_emplace(name, suites_.size());
    if (fresh) suites_.emplace_back().name = name;
    return suites_[entry->second];
  }

  void write_suite(const Suite& one, ByteSink& sink) const {
    sink.write(
        fmt::format("  <testsuite name=\"foretrace.{}\" tests=\"{}\" failures=\"{}\" "
                    "errors=\"0\" skipped=\"{}\" time=\"{:.3f}\">\n",
                    escaped(one.name), one.tests, one.failures, one.skipped, one.seconds));
    sink.write(one.cases);
    if (&one == &suites_.back()) {
      std::string text = printable(trace_line(report_), 4000);
      for (const std::string& line : caveats(report_)) text += "\n" + line;
      sink.write(fmt::format("    <system-out>{}</system-out>\n", lines_escaped(text)));
    }
    sink.write("  </testsuite>\n");
  }

  static std::string lines_escaped(std::string_view text) {
    std::string result;
    for (const std::string_view line : split(text, '\n')) {
      result += (result.empty() ? "" : "\n") + escaped(line);
    }
    return result;
  }

  void open_case(Suite& one, const Finding& finding) {
    ++one.tests;
    one.cases +=
        fmt::format("    <testcase classname=\"foretrace.{}\" name=\"{} [{}]\">\n",
                    escaped(finding.analysis), escaped(headline(finding)), escaped(finding.id));
  }

  void add_failure(const Group& group) {
    const Finding& finding = report_.findings[group.leader];
    Suite& one = suite(finding.analysis);
    open_case(one, finding);
    ++one.failures;
    std::string text;
    for (const FindingEvent& event : finding.events) text += event_sentence(event) + "\n";
    for (const std::string& line : {finding.reason, decision_text(finding), folded_text(finding),
                                    same_places_text(group, report_.findings)}) {
      if (!line.empty()) text += line + "\n";
    }
    if (group.leader < report_.excerpts.size()) {
      for (const std::string& line : pictures(report_.excerpts[group.leader], finding)) {
        text += "\n" + line;
      }
    }
    one.cases += fmt::format(
        "      <failure type=\"{}\" message=\"{}\">{}</failure>\n", escaped(finding.kind),
        escaped(fmt::format("{} ({})", finding.message, name_of(finding.strength))),
        lines_escaped(text));
    one.cases += "    </testcase>\n";
  }

  void add_skipped(const LeftOut& left_out) {
    if (left_out.why == LeftOut::Why::absent) return;
    Suite& one = suite(left_out.finding.analysis);
    open_case(one, left_out.finding);
    ++one.skipped;
    const std::string why = left_out.why == LeftOut::Why::suppressed
                                ? "suppressed: " + left_out.rule
                                : "in the baseline";
    one.cases += fmt::format("      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(why));
  }

  const Report& report_;
  std::vector<Suite> suites_;
  std::map<std::string, size_t> places_;  // by name
};

const ReporterRegistration registration({
    .name = "junit",
    .summary = "JUnit's XML, for CI systems",
    .wants_excerpts = true,
    .write = [](const Report& report, const ReportStyle&,
                ByteSink& sink) { JUnit(report).write(sink); },
});

}  // namespace
}  // namespace foretrace
