#include "analyses/analysis.h"

#include <algorithm>

#include "base/text.h"

namespace foretrace {
namespace {

std::vector<AnalysisInfo>& registry() {
  static std::vector<AnalysisInfo> analyses;
  return analyses;
}

constexpr std::string_view kStrengthNames[] = {"predicted", "certified", "observed"};

}  // namespace

std::string_view name_of(Strength strength) {
  return kStrengthNames[static_cast<size_t>(strength)];
}

std::optional<Strength> strength_named(std::string_view name) {
  for (size_t i = 0; i < std::size(kStrengthNames); ++i) {
    if (kStrengthNames[i] == name) return static_cast<Strength>(i);
  }
  return std::nullopt;
}

bool AnalysisSettings::flag(const AnalysisOption& option) const {
  return values_.find(option.name) != values_.end();
}

uint64_t AnalysisSettings::count(const AnalysisOption& option) const {
  const auto found = values_.find(option.name);
  const std::string_view text = found == values_.end() ? option.default_value : found->second;
  return parse_count(text).value_or(0);
}

std::string_view AnalysisSettings::choice(const AnalysisOption& option) const {
  const auto found = values_.find(option.name);
  return found == values_.end() ? option.default_value : found->second;
}

AnalysisRegistration::AnalysisRegistration(const AnalysisInfo& info) {
  std::vector<AnalysisInfo>& all = registry();
  const auto place = std::find_if(all.begin(), all.end(),
                                  [&](const AnalysisInfo& a) { return a.name > info.name; });
  all.insert(place, info);
}

const std::vector<AnalysisInfo>& analyses() { return registry(); }

Result<const AnalysisInfo*> analysis_named(std::string_view name) {
  std::vector<std::string> names;
  for (const AnalysisInfo& info : analyses()) {
    if (info.name == name) return &info;
    names.emplace_back(info.name);
  }
  return fail("'{}' is not an analysis ({}){}", printable(name), fmt::join(names, ", "),
              did_you_mean(name, names));
}

}  // namespace foretrace
