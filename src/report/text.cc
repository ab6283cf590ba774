// The report that people read.
#include "base/text.h"

#include <algorithm>
#include <map>

#include "findings/violated_units.h"
#include "report/report.h"
#include "report/source_lines.h"

namespace foretrace {
namespace {

// "data-race" -> "data race".
std::string words(std::string kind) {
  std::replace(kind.begin(), kind.end(), '-', ' ');
  return kind;
}

std::string verb(Op op) {
  if (op == Op::rd || op == Op::vrd) return "reads";
  if (op == Op::wr || op == Op::vwr) return "writes";
  if (op == Op::acq || op == Op::racq) return "acquires";
  if (op == Op::rel || op == Op::rrel) return "releases";
  if (op == Op::fork || op == Op::join) return std::string(name_of(op)) + "s";
  if (op == Op::wait) return "waits for";
  return fmt::format("does {} of", name_of(op));
}

std::string held_text(const std::vector<FindingLock>& held) {
  if (held.empty()) return "holding no lock";
  std::string names;
  for (const FindingLock& lock : held) {
    names +=
        (names.empty() ? "" : ", ") + printable(lock.name) + (lock.shared ? " (for reading)" : "");
  }
  return "holding " + names;
}

// Findings that a reader would call one: the same error seen by several
// analyses, or at many locations from the same places in the source.
struct Group {
  const Finding* leader = nullptr;
  size_t excerpt = 0;                       // the leader's place among the findings
  std::vector<const Finding*> same_error;   // by other analyses
  std::vector<const Finding*> same_places;  // other locations or accesses
};

std::string error_key(const Finding& finding) {
  std::string key =
      finding.kind + '\n' + finding.variable.value_or("") + '\n' + finding.lock.value_or("");
  for (const FindingEvent& event : finding.events) key += fmt::format("\n{}", event.index);
  return key;
}

// Empty if a place is not known.
std::string places_key(const Finding& finding) {
  std::vector<std::string> places;
  for (const FindingEvent& event : finding.events) {
    if (event.site.empty()) return {};
    places.push_back(fmt::format("{} {}", name_of(event.op), event.site));
  }
  std::sort(places.begin(), places.end());
  return fmt::format("{}\n{}", finding.kind, fmt::join(places, "\n"));
}

std::vector<Group> grouped(const std::vector<Finding>& findings) {
  // The strongest first; among equals, in the order of the trace.
  std::vector<size_t> order(findings.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return findings[a].strength > findings[b].strength; });
  std::vector<Group> groups;
  std::map<std::string, size_t> by_error;
  std::map<std::string, size_t> by_places;
  for (const size_t i : order) {
    const Finding& finding = findings[i];
    const auto [same_error, new_error] = by_error.try_emplace(error_key(finding), groups.size());
    if (!new_error) {
      groups[same_error->second].same_error.push_back(&finding);
      continue;
    }
    const std::string places = places_key(finding);
    if (!places.empty()) {
      const auto [same_places, new_places] = by_places.try_emplace(places, groups.size());
      if (!new_places) {
        same_error->second = same_places->second;
        groups[same_places->second].same_places.push_back(&finding);
        continue;
      }
    }
    groups.push_back({&finding, i, {}, {}});
  }
  return groups;
}

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
  std::string bold(std::string text) const {
    return style_.colour ? "\x1b[1m" + text + "\x1b[0m" : text;
  }
  std::string red(std::string text) const {
    return style_.colour ? "\x1b[1;31m" + text + "\x1b[0m" : text;
  }

  void write_group(const Group& group) {
    const Finding& finding = *group.leader;
    print("{}  ({} by {})\n", red(headline(finding)), name_of(finding.strength), finding.analysis);
    for (const FindingEvent& event : finding.events) write_event(event);
    if (!finding.reason.empty()) print("  {}\n", finding.reason);
    write_decision(finding);
    for (const Finding* other : group.same_error) {
      print("  Also reported by {} ({}, {}).\n", other->analysis, name_of(other->strength),
            other->id);
    }
    write_same_places(group);
    if (group.excerpt < report_.excerpts.size()) {
      write_pictures(report_.excerpts[group.excerpt], finding);
    }
    print("  {}\n\n", finding.id);
  }

  // What the search for a schedule came to, if it found none.
  void write_decision(const Finding& finding) {
    const auto decision = finding.detail.find("certify");
    if (decision == finding.detail.end()) return;
    if (*decision == "infeasible") {
      print(
          "  But no schedule of these events brings it about: where each read sees what it saw,\n"
          "  something else stands in the way.\n");
    } else {
      print(
          "  Whether a schedule of these events brings it about was left undecided (--budget).\n");
    }
  }

  // "data race on x"; "atomicity violation of transfer, on balance".
  static std::string headline(const Finding& finding) {
    std::string text = finding.strength == Strength::predicted ? "possible " : "";
    text += words(finding.kind);
    const std::vector<std::string> units = units_to_blame(finding);
    if (!units.empty()) text += fmt::format(" of {}", fmt::join(units, ", "));
    const std::string subject = finding.variable ? *finding.variable : finding.lock.value_or("");
    if (!subject.empty()) text += (units.empty() ? " on " : ", on ") + printable(subject);
    return text;
  }

  static std::vector<std::string> units_to_blame(const Finding& finding) {
    std::vector<std::string> units = blamed_units(finding);
    for (std::string& unit : units) unit = printable(unit);
    return units;
  }

  void write_event(const FindingEvent& event) {
    std::string place = fmt::format("event {}", event.index);
    if (!event.site.empty()) place += ", " + printable(event.site, 200);
    if (!event.function.empty()) place += " in " + printable(event.function, 200);
    if (!event.role.empty()) place += " (" + printable(event.role, 200) + ")";
    if (event.held_known) place += ", " + held_text(event.held);
    print("  thread {} {} {} at {}\n", printable(event.thread), verb(event.op),
          printable(event.object), place);
    if (const auto line = sources_.at(event.site)) {
      print("    {:>5} | {}\n", line->number, printable(line->text, 120));
    }
  }

  void write_same_places(const Group& group) {
    if (group.same_places.empty()) return;
    constexpr size_t kShown = 5;
    std::vector<std::string> names;
    for (const Finding* other : group.same_places) {
      std::string name = printable(other->variable.value_or(other->lock.value_or(other->id)));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      if (names.size() > kShown) break;
    }
    const bool more = names.size() > kShown;
    if (more) names.resize(kShown);
    print("  The same places make {} more: {}{}.\n", counted(group.same_places.size(), "finding"),
          fmt::join(names, ", "), more ? ", …" : "");
  }

  // The trace as it was observed and, beside it, the schedule that shows the
  // error, if that is another one.
  void write_pictures(const Excerpt& observed, const Finding& finding) {
    const Excerpt witness =
        finding.strength == Strength::certified ? witness_excerpt(observed, finding) : Excerpt();
    std::vector<std::string> left = picture(observed);
    print("\n");
    if (witness.rows.empty()) {
      for (const std::string& line : left) print("  {}\n", line);
    } else {
      const std::vector<std::string> right = picture(witness);
      size_t width = 0;
      for (const std::string& line : left) width = std::max(width, display_width(line));
      print("  {}  │  {}\n", padded("observed", width), "a schedule that shows it");
      for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        print("  {}  │{}\n", padded(i < left.size() ? left[i] : "", width),
              i < right.size() ? "  " + right[i] : "");
      }
    }
    print("\n");
  }

  // Threads as columns, time downwards; "⋮" where events are left out.
  static std::vector<std::string> picture(const Excerpt& excerpt) {
    std::vector<size_t> widths;
    std::string header;
    for (size_t column = 0; column < excerpt.threads.size(); ++column) {
      const std::string title = "thread " + printable(excerpt.threads[column], 20);
      size_t width = display_width(title);
      for (const ExcerptRow& row : excerpt.rows) {
        if (row.column == column) width = std::max(width, display_width(row.text));
      }
      widths.push_back(width + 3);
      header += padded(title, widths.back());
    }
    std::vector<std::string> lines = {fmt::format("{:>8}     {}", "", trimmed(header))};
    for (size_t i = 0; i < excerpt.rows.size(); ++i) {
      const ExcerptRow& row = excerpt.rows[i];
      if (i > 0 && row.position > excerpt.rows[i - 1].position + 1) {
        lines.push_back(fmt::format("{:>8}     ⋮", ""));
      }
      size_t indent = 0;
      for (size_t column = 0; column < row.column; ++column) indent += widths[column];
      lines.push_back(fmt::format("{:>8} {}   {}{}", row.index, row.marked ? "▶" : " ",
                                  std::string(indent, ' '), row.text));
    }
    return lines;
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
    const std::string trace =
        fmt::format("{}: {}, {}, {}, {}", report_.source, counted(report_.events, "event"),
                    counted(report_.threads, "thread"), counted(report_.locations, "location"),
                    counted(report_.locks, "lock"));
    std::vector<std::string> names;
    for (const AnalysisRun& run : report_.analyses) names.push_back(run.name);
    if (report_.findings.empty()) {
      print("{}\nno findings ({})\n", trace, fmt::join(names, ", "));
    } else {
      std::map<std::string, uint64_t> by_analysis;
      std::map<Strength, uint64_t> by_strength;
      for (const Finding& finding : report_.findings) {
        ++by_analysis[finding.analysis];
        ++by_strength[finding.strength];
      }
      std::vector<std::string> counts;
      for (auto it = by_strength.rbegin(); it != by_strength.rend(); ++it) {
        counts.push_back(fmt::format("{} {}", with_commas(it->second), name_of(it->first)));
      }
      std::vector<std::string> analyses;
      for (const auto& [name, count] : by_analysis) {
        analyses.push_back(fmt::format("{} {}", name, with_commas(count)));
      }
      print("{}\n{}: {} ({})\n", trace, bold(counted(report_.findings.size(), "finding")),
            fmt::join(counts, ", "), fmt::join(analyses, ", "));
    }
    for (const AnalysisRun& run : report_.analyses) {
      if (run.decisions.undecided == 0) continue;
      print("{}: {} left undecided within the budget (--budget)\n", run.name,
            counted(run.decisions.undecided, "candidate"));
    }
    write_left_out();
    if (report_.partial) print("interrupted: this is only what was found until then\n");
  }

  void write_left_out() {
    if (report_.suppressed > 0) print("{} suppressed\n", counted(report_.suppressed, "finding"));
    if (report_.built_in > 0) {
      print("{} suppressed as known noise of system libraries (--no-built-in shows them)\n",
            counted(report_.built_in, "finding"));
    }
    if (report_.known > 0) {
      print("{} left out, as in the baseline\n", counted(report_.known, "finding"));
    }
    if (report_.too_weak > 0) {
      print("{} left out, weaker than asked for\n", counted(report_.too_weak, "finding"));
    }
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
