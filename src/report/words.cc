#include "report/words.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "findings/folding.h"
#include "findings/violated_units.h"

namespace foretrace {
namespace {

std::string held_text(const std::vector<FindingLock>& held) {
  if (held.empty()) return "holding no lock";
  std::string names;
  for (const FindingLock& lock : held) {
    names +=
        (names.empty() ? "" : ", ") + printable(lock.name) + (lock.shared ? " (for reading)" : "");
  }
  return "holding " + names;
}

std::vector<std::string> units_to_blame(const Finding& finding) {
  std::vector<std::string> units = blamed_units(finding);
  for (std::string& unit : units) unit = printable(unit);
  return units;
}

}  // namespace

std::string words(std::string kind) {
  std::replace(kind.begin(), kind.end(), '-', ' ');
  return kind;
}

std::string verb(Op op) {
  const std::string how = is_atomic(op) ? "atomically " : "";
  if (reads(op) && writes(op)) return how + "updates";
  if (reads(op)) return how + "reads";
  if (writes(op)) return how + "writes";
  if (op == Op::acq || op == Op::racq) return "acquires";
  if (op == Op::rel || op == Op::rrel) return "releases";
  if (op == Op::fork || op == Op::join) return std::string(name_of(op)) + "s";
  if (op == Op::wait) return "waits for";
  return fmt::format("does {} of", name_of(op));
}

std::string headline(const Finding& finding) {
  std::string text = finding.strength == Strength::predicted ? "possible " : "";
  text += words(finding.kind);
  const std::vector<std::string> units = units_to_blame(finding);
  if (!units.empty()) text += fmt::format(" of {}", fmt::join(units, ", "));
  const std::string subject = finding.variable ? *finding.variable : finding.lock.value_or("");
  if (!subject.empty()) text += (units.empty() ? " on " : ", on ") + printable(subject);
  return text;
}

std::string event_sentence(const FindingEvent& event) {
  std::string place = event.index == kNoIndex ? "" : fmt::format("event {}", event.index);
  if (!event.site.empty()) place += (place.empty() ? "" : ", ") + printable(event.site, 200);
  if (!event.function.empty()) place += " in " + printable(event.function, 200);
  if (!event.role.empty()) place += " (" + printable(event.role, 200) + ")";
  if (event.held_known) place += ", " + held_text(event.held);
  return fmt::format("thread {} {} {} at {}", printable(event.thread), verb(event.op),
                     printable(event.object), place);
}

std::string decision_text(const Finding& finding) {
  const auto decision = finding.detail.find("certify");
  if (decision == finding.detail.end()) return {};
  if (*decision == "infeasible" && finding.detail.contains("relaxed")) {
    return "No schedule that does one step after the other brings it about. But relaxed atomic "
           "operations lie between the two and order nothing: the compiler and the processor may.";
  }
  if (*decision == "infeasible") {
    return "But no schedule of these events brings it about: where each read sees what it saw, "
           "something else stands in the way.";
  }
  if (*decision == "order-missing") {
    return "Threads that were not recorded may order the two.";
  }
  return "Whether a schedule of these events brings it about was left undecided (--budget).";
}

std::string folded_text(const Finding& finding) {
  const size_t more = folded_into(finding);
  if (more == 0) return {};
  constexpr size_t kShown = 5;
  std::vector<std::string> functions;
  for (const Finding& other : unfolded(finding)) {
    for (const FindingEvent& event : other.events) {
      std::string name = printable(event.function);
      if (std::find(functions.begin(), functions.end(), name) != functions.end()) continue;
      functions.push_back(std::move(name));
    }
  }
  const bool cut = functions.size() > kShown;
  const size_t left = functions.size() - std::min(functions.size(), kShown);
  functions.resize(std::min(functions.size(), kShown));
  return fmt::format("{} of it, in {}{} (--all-pairs shows each).",
                     counted(more, "more finding", "more findings"), fmt::join(functions, ", "),
                     cut ? fmt::format(" and {}", counted(left, "more function")) : "");
}

std::string trace_line(const Report& report) {
  if (report.lines > 0) {
    return fmt::format("{}: {} of source, {}, {}, {}", report.source, counted(report.lines, "line"),
                       counted(report.threads, "kind of thread", "kinds of threads"),
                       counted(report.locations, "location"), counted(report.locks, "lock"));
  }
  return fmt::format("{}: {}, {}, {}, {}", report.source, counted(report.events, "event"),
                     counted(report.threads, "thread"), counted(report.locations, "location"),
                     counted(report.locks, "lock"));
}

static std::string strengths_line(const std::map<Strength, uint64_t>& by_strength) {
  std::vector<std::string> counts;
  for (auto it = by_strength.rbegin(); it != by_strength.rend(); ++it) {
    counts.push_back(fmt::format("{} {}", with_commas(it->second), name_of(it->first)));
  }
  return fmt::format("{}", fmt::join(counts, ", "));
}

std::string strengths_line(const std::vector<Finding>& findings) {
  std::map<Strength, uint64_t> by_strength;
  for (const Finding& finding : findings) ++by_strength[finding.strength];
  return strengths_line(by_strength);
}

std::string strengths_line(const std::vector<Finding>& findings, const std::vector<Group>& groups) {
  std::map<Strength, uint64_t> by_strength;
  for (const Group& group : groups) ++by_strength[findings[group.leader].strength];
  return strengths_line(by_strength);
}

std::vector<std::string> caveats(const Report& report) {
  std::vector<std::string> lines;
  for (const AnalysisRun& run : report.analyses) {
    if (run.decisions.undecided == 0) continue;
    lines.push_back(fmt::format("{}: {} left undecided within the budget (--budget)", run.name,
                                counted(run.decisions.undecided, "candidate")));
  }
  const auto left_out = [&](uint64_t count, std::string_view why) {
    if (count > 0) lines.push_back(counted(count, "finding") + std::string(why));
  };
  uint64_t folded = 0;
  for (const Finding& finding : report.findings) folded += folded_into(finding);
  if (folded > 0) {
    lines.push_back(
        fmt::format("{} of the same variables: each is counted with the worst one "
                    "(--all-pairs shows them)",
                    counted(folded, "more finding", "more findings")));
  }
  left_out(report.suppressed, " suppressed");
  left_out(report.built_in,
           " suppressed as known noise of system libraries (--no-built-in shows them)");
  left_out(report.known, " left out, as in the baseline");
  left_out(report.too_weak, report.lines > 0
                                ? " left out, less sure than asked for (--confidence low)"
                                : " left out, weaker than asked for");
  if (report.partial) lines.emplace_back("interrupted: this is only what was found until then");
  return lines;
}

}  // namespace foretrace
