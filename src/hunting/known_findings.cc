#include "hunting/known_findings.h"

#include <algorithm>

#include "base/text.h"
#include "findings/finding_json.h"
#include "steering/matching.h"

namespace foretrace {
namespace {

struct PlaceText {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;  // 0: not known
};

PlaceText parse(const std::string& text) {
  const size_t last = text.rfind(':');
  if (last == std::string::npos) return {text};
  const std::optional<int64_t> second = parse_integer(text.substr(last + 1));
  if (!second) return {text};
  const size_t first = last > 0 ? text.rfind(':', last - 1) : std::string::npos;
  const std::optional<int64_t> line = first != std::string::npos
                                          ? parse_integer(text.substr(first + 1, last - first - 1))
                                          : std::nullopt;
  if (line) return {text.substr(0, first), *line, *second};
  return {text.substr(0, last), *second};
}

bool same_event(const FindingEvent& a, const FindingEvent& b, bool is_deadlock) {
  if (!is_deadlock && a.op != b.op) return false;
  // Compilers have no place for what they moved out of a loop.
  if (a.site.empty() && b.site.empty()) return a.object == b.object && a.function == b.function;
  return same_place(a.site, b.site);
}

}  // namespace

bool same_line(const std::string& a, const std::string& b) {
  const PlaceText one = parse(a);
  const PlaceText other = parse(b);
  return !one.file.empty() && !other.file.empty() && one.line == other.line &&
         steering::same_file(one.file.c_str(), other.file.c_str());
}

bool same_place(const std::string& a, const std::string& b) {
  const PlaceText one = parse(a);
  const PlaceText other = parse(b);
  return same_line(a, b) && (one.column == other.column || one.column == 0 || other.column == 0);
}

bool is_same_error(const Finding& predicted, const Finding& observed) {
  if (predicted.kind != observed.kind || predicted.events.size() < 2 ||
      predicted.events.size() != observed.events.size()) {
    return false;
  }
  const bool is_deadlock = predicted.kind == "deadlock";
  std::vector<bool> used(observed.events.size());
  for (const FindingEvent& event : predicted.events) {
    bool found = false;
    for (size_t i = 0; i < observed.events.size() && !found; ++i) {
      if (used[i] || !same_event(event, observed.events[i], is_deadlock)) continue;
      used[i] = found = true;
    }
    if (!found) return false;
  }
  return true;
}

KnownFindings::KnownFindings(std::vector<Finding> findings)
    : findings_(std::move(findings)), observed_(findings_.size()) {}

std::vector<std::string> KnownFindings::note(const Finding& observed) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < findings_.size(); ++i) {
    if (!is_same_error(findings_[i], observed)) continue;
    observed_[i] = true;
    ids.push_back(findings_[i].id);
  }
  return ids;
}

size_t KnownFindings::observed_count() const {
  return static_cast<size_t>(std::count(observed_.begin(), observed_.end(), true));
}

Result<KnownFindings> read_known_findings(const std::string& path) {
  const Result<nlohmann::ordered_json> report = read_report_json(path, "a file of findings");
  if (!report) return tl::unexpected(report.error());
  std::vector<Finding> findings;
  for (const auto& json : (*report)["findings"]) {
    Result<Finding> finding = finding_from_json(json);
    if (!finding) return fail("{}: {}", path, finding.error().message);
    if (finding->kind == "data-race" || finding->kind == "deadlock") {
      findings.push_back(std::move(*finding));
    }
  }
  return KnownFindings(std::move(findings));
}

}  // namespace foretrace
