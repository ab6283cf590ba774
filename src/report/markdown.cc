// Markdown for the comment under a pull request: what was found, a table, and
// the details folded away.
#include <map>

#include "base/text.h"
#include "report/groups.h"
#include "report/kinds.h"
#include "report/picture.h"
#include "report/report.h"
#include "report/source_lines.h"
#include "report/words.h"

namespace foretrace {
namespace {

// So many errors are told in full; code hosts refuse longer comments.
constexpr size_t kTold = 20;

// Names are text, never markup.
std::string escaped(std::string_view text, size_t limit = 400) {
  std::string result;
  for (const char c : printable(text, limit)) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*_[]#|~>@").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

// In code nothing is markup but the fence itself.
std::string fenced(std::string_view text, std::string_view indent = "") {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{2}{0}text\n{2}{1}\n{2}{0}\n", fence, text, indent);
}

class Markdown {
 public:
  Markdown(const Report& report, ByteSink& sink) : report_(report), sink_(sink) {}

  void write() {
    const std::vector<Group> groups = grouped(report_.findings);
    if (groups.empty()) {
      print("## Foretrace: no findings\n\n");
    } else {
      print("## Foretrace: {} ({})\n\n", counted(groups.size(), "error"),
            strengths_line(report_.findings, groups));
      write_table(groups);
    }
    print("{}\n", escaped(trace_line(report_)));
    for (const std::string& line : caveats(report_)) print("\n{}\n", escaped(line));
    for (size_t i = 0; i < groups.size() && i < kTold; ++i) write_details(groups[i]);
    if (groups.size() > kTold) {
      print("\nThe other {} are in the table only.\n", with_commas(groups.size() - kTold));
    }
  }

 private:
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    sink_.write(fmt::format(format, std::forward<Args>(args)...));
  }

  void write_table(const std::vector<Group>& groups) {
    print("| error | strength | where | id |\n|---|---|---|---|\n");
    for (const Group& group : groups) {
      const Finding& finding = report_.findings[group.leader];
      std::vector<std::string> sites;
      for (const FindingEvent& event : finding.events) {
        if (!event.site.empty()) sites.push_back(escaped(event.site));
      }
      print("| {} | {} | {} | {} |\n", escaped(headline(finding)), name_of(finding.strength),
            fmt::join(sites, "<br>"), escaped(finding.id));
    }
    print("\n");
  }

  void write_details(const Group& group) {
    const Finding& finding = report_.findings[group.leader];
    print("\n<details><summary>{}</summary>\n\n{}.\n", escaped(headline(finding)),
          escaped(finding.message, 2000));
    for (const FindingEvent& event : finding.events) {
      print("- {}\n", escaped(event_sentence(event), 1000));
      if (const auto line = sources_.at(event.site)) {
        print("{}",
              fenced(fmt::format("{:>5} | {}", line->number, printable(line->text, 120)), "  "));
      }
    }
    print("\n");
    for (const std::string& line :
         {finding.reason, decision_text(finding), folded_text(finding),
          same_places_text(group, report_.findings), help_of_kind(finding.kind).remedy}) {
      if (!line.empty()) print("{}\n\n", escaped(line, 2000));
    }
    if (group.leader < report_.excerpts.size()) {
      print("{}\n", fenced(fmt::format(
                        "{}", fmt::join(pictures(report_.excerpts[group.leader], finding), "\n"))));
    }
    print("</details>\n");
  }

  const Report& report_;
  ByteSink& sink_;
  SourceLines sources_;
};

const ReporterRegistration registration({
    .name = "markdown",
    .summary = "for the comment under a pull request",
    .wants_excerpts = true,
    .write = [](const Report& report, const ReportStyle&,
                ByteSink& sink) { Markdown(report, sink).write(); },
});

}  // namespace
}  // namespace foretrace
