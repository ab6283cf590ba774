#include "findings/filter.h"

#include <algorithm>

#include "base/input.h"
#include "base/library_noise.h"
#include "base/text.h"
#include "findings/finding_json.h"
#include "findings/folding.h"

namespace foretrace {
namespace {

constexpr std::string_view kKeys[] = {"id",     "analysis", "kind", "variable", "lock",   "label",
                                      "thread", "site",     "file", "function", "library"};

// "src/bank.cpp:41:7" -> "src/bank.cpp".
std::string_view file_of(std::string_view site) { return site.substr(0, site.find(':')); }

}  // namespace

Result<Suppressions> Suppressions::read(const std::string& path) {
  const Result<std::string> content = read_input(path);
  if (!content) return tl::unexpected(content.error());
  return parse(path, *content);
}

Suppressions Suppressions::built_in() {
  std::string rules;
  for (const std::string_view function : kNoisyFunctions) {
    rules += fmt::format("kind=data-race function={}\n", function);
  }
  return *parse("built-in suppressions", rules);
}

Result<Suppressions> Suppressions::parse(const std::string& path, std::string_view content) {
  Suppressions suppressions;
  suppressions.path_ = path;
  uint64_t number = 0;
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    Rule rule;
    rule.line = number;
    rule.text = trimmed(line);
    for (const std::string_view word : words_of(line)) {
      if (word[0] == '#') break;
      const size_t equals = word.find('=');
      const std::string key(word.substr(0, equals));
      if (equals == std::string_view::npos ||
          std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) {
        const std::vector<std::string> known(std::begin(kKeys), std::end(kKeys));
        return fail("{}:{}: '{}' is not a condition; write KEY=PATTERN with a key of: {}{}", path,
                    number, printable(word), fmt::join(known, ", "), did_you_mean(key, known));
      }
      rule.conditions.push_back({key, std::string(word.substr(equals + 1))});
    }
    if (!rule.conditions.empty()) suppressions.rules_.push_back(std::move(rule));
  }
  return suppressions;
}

// Everything that the finding has under `key`.
std::vector<std::string> Suppressions::values_of(const Finding& finding,
                                                 std::string_view key) const {
  if (key == "id") return {finding.id};
  if (key == "analysis") return {finding.analysis};
  if (key == "kind") return {finding.kind};
  std::vector<std::string> values;
  if (key == "variable" && finding.variable) values.push_back(*finding.variable);
  if (key == "lock" && finding.lock) values.push_back(*finding.lock);
  if (key == "label") values = finding.labels;
  for (const FindingEvent& event : finding.events) {
    if (key == "thread") values.push_back(event.thread);
    if (key == "site") values.push_back(event.site);
    if (key == "file") values.emplace_back(file_of(event.site));
    if (key == "function") values.push_back(event.function);
    if (key == "library" && library_of_) values.push_back(library_of_(event.site));
  }
  return values;
}

const std::string* Suppressions::covers(const Finding& finding) {
  const std::string* covered = nullptr;
  for (Rule& rule : rules_) {
    const bool fits = std::all_of(
        rule.conditions.begin(), rule.conditions.end(), [&](const Condition& condition) {
          const std::vector<std::string> values = values_of(finding, condition.key);
          return std::any_of(values.begin(), values.end(), [&](std::string_view value) {
            return glob_match(condition.pattern, value);
          });
        });
    if (fits) {
      ++rule.hits;
      if (covered == nullptr) covered = &rule.text;
    }
  }
  return covered;
}

std::vector<std::string> Suppressions::unused() const {
  std::vector<std::string> unused;
  for (const Rule& rule : rules_) {
    if (rule.hits > 0) continue;
    unused.push_back(fmt::format("{}:{}: this suppression matched nothing: {}", path_, rule.line,
                                 printable(rule.text)));
  }
  return unused;
}

Result<Baseline> read_baseline(const std::string& path) {
  const Result<nlohmann::ordered_json> report = read_report_json(path, "a baseline");
  if (!report) return tl::unexpected(report.error());
  Baseline baseline;
  for (const nlohmann::ordered_json& finding : (*report)["findings"]) {
    baseline.emplace(finding["id"].get<std::string>(), finding);
    const Result<Finding> known = finding_from_json(finding);
    if (!known || folded_into(*known) == 0) continue;
    std::vector<Finding> all = unfolded(*known);
    for (size_t i = 1; i < all.size(); ++i) baseline.emplace(all[i].id, finding_json(all[i]));
  }
  return baseline;
}

}  // namespace foretrace
