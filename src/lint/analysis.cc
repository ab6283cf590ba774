#include "lint/analysis.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace foretrace::lint {
namespace {

std::vector<LintAnalysis>& registry() {
  static std::vector<LintAnalysis> analyses;
  return analyses;
}

// The events', and the two places of the caller that is to blame.
std::vector<std::string> sites_of(const Finding& finding) {
  std::vector<std::string> sites;
  for (const FindingEvent& event : finding.events) sites.push_back(event.site);
  if (finding.detail.contains("blame")) {
    for (const char* const part : {"first", "site"}) {
      sites.push_back(finding.detail["blame"].value(part, ""));
    }
  }
  return sites;
}

}  // namespace

LintRegistration::LintRegistration(const LintAnalysis& analysis) {
  std::vector<LintAnalysis>& all = registry();
  all.insert(std::upper_bound(
                 all.begin(), all.end(), analysis,
                 [](const LintAnalysis& a, const LintAnalysis& b) { return a.name < b.name; }),
             analysis);
}

const std::vector<LintAnalysis>& lint_analyses() { return registry(); }

bool wanted(const LintOptions& options, const LintRule& rule) {
  const auto has = [&](const std::string& word) {
    return std::find(options.rules.begin(), options.rules.end(), word) != options.rules.end();
  };
  if (has("-" + rule.name)) return false;
  if (has("+" + rule.name) || has(rule.name) || has("all")) return true;
  const bool only_changes = std::all_of(
      options.rules.begin(), options.rules.end(),
      [](const std::string& word) { return word.starts_with('+') || word.starts_with('-'); });
  return only_changes && rule.by_default;
}

FindingEvent event_at(const Program& program, const Place& place, const std::string& object,
                      bool write) {
  const Context& context = program.context(place.context);
  const Op& op = program.op(place);
  FindingEvent event;
  event.index = kNoIndex;
  event.thread_number = context.thread;
  event.thread = program.threads()[context.thread].name;
  event.op = write ? foretrace::Op::wr : foretrace::Op::rd;
  event.object = object;
  event.site = to_string(op.position);
  event.function = context.function->name;
  std::set<LocationId> seen;
  for (const HeldLock& held : program.locks(place)) {
    if (held.kind == LockKind::once || !seen.insert(held.lock).second) continue;
    const bool transaction = held.kind == LockKind::transaction;
    event.held.push_back({transaction ? "a transaction" : program.text(held.lock), held.shared});
  }
  const Thread& thread = program.threads()[context.thread];
  if (!thread.is_main) {
    event.thread_start =
        fmt::format("by {} at {}", program.context(thread.creator).function->name,
                    to_string(program.op({thread.creator, thread.spawn_op}).position));
  }
  return event;
}

std::vector<Place> calls_to(const Program& program, ContextId context) {
  std::vector<Place> calls;
  const std::vector<ContextId> chain = program.call_chain(context);
  for (size_t i = chain.size(); i-- > 1;) {
    calls.push_back({chain[i - 1], program.context(chain[i]).call_op});
  }
  return calls;
}

bool told_apart(const Program& program, LocationId location) {
  const Locations& all = program.all_locations();
  const Location::Kind kind = all.at(all.object_of(location)).kind;
  return kind != Location::Kind::any && kind != Location::Kind::made;
}

size_t drop_unsure(const LintOptions& options, std::vector<LintFinding>& findings) {
  if (options.confidence == "low") return 0;
  return std::erase_if(findings, [](const LintFinding& one) {
    return one.finding.detail.value("confidence", "") == "low";
  });
}

void assign_ids(std::vector<LintFinding>& findings) {
  std::vector<Finding> plain;
  for (LintFinding& one : findings) plain.push_back(std::move(one.finding));
  foretrace::assign_ids(plain);
  for (size_t i = 0; i < plain.size(); ++i) findings[i].finding = std::move(plain[i]);
}

size_t drop_ignored(const Program& program, std::vector<LintFinding>& findings) {
  std::set<std::tuple<std::string, std::string>> ignored;  // "file:line", rule
  for (const Summary& summary : program.summaries()) {
    for (const IgnoreComment& comment : summary.ignores) {
      std::string place = to_string(Position{comment.file, comment.line, 0});
      place.resize(place.rfind(':'));  // without the column
      ignored.emplace(std::move(place), comment.rule);
    }
  }
  return std::erase_if(findings, [&](const LintFinding& one) {
    const Finding& finding = one.finding;
    const std::vector<std::string> sites = sites_of(finding);
    return std::any_of(sites.begin(), sites.end(), [&](const std::string& site) {
      const std::string place = site.substr(0, site.rfind(':'));
      return ignored.contains({place, finding.kind}) || ignored.contains({place, ""});
    });
  });
}

}  // namespace foretrace::lint
