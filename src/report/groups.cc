#include "report/groups.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace foretrace {
namespace {

std::string error_key(const Finding& finding) {
  std::string key =
      finding.kind + '\n' + finding.variable.value_or("") + '\n' + finding.lock.value_or("");
  for (const FindingEvent& event : finding.events) {
    key += event.index == kNoIndex ? fmt::format("\n{} {}", name_of(event.op), event.site)
                                   : fmt::format("\n{}", event.index);
  }
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

}  // namespace

std::vector<Group> grouped(const std::vector<Finding>& findings) {
  std::vector<size_t> order(findings.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // The strongest lead, and among equals who can say why no schedule shows the error.
  const auto rank = [&](size_t i) {
    return std::pair(findings[i].strength, findings[i].detail.contains("relaxed"));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rank(a) > rank(b); });
  std::vector<Group> groups;
  std::map<std::string, size_t> by_error;
  std::map<std::string, size_t> by_places;
  for (const size_t i : order) {
    const auto [same_error, new_error] =
        by_error.try_emplace(error_key(findings[i]), groups.size());
    if (!new_error) {
      groups[same_error->second].same_error.push_back(i);
      continue;
    }
    const std::string places = places_key(findings[i]);
    if (!places.empty()) {
      const auto [same_places, new_places] = by_places.try_emplace(places, groups.size());
      if (!new_places) {
        same_error->second = same_places->second;
        groups[same_places->second].same_places.push_back(i);
        continue;
      }
    }
    groups.push_back({i, {}, {}});
  }
  return groups;
}

std::string same_places_text(const Group& group, const std::vector<Finding>& findings) {
  if (group.same_places.empty()) return {};
  constexpr size_t kShown = 5;
  std::vector<std::string> names;
  for (const size_t i : group.same_places) {
    const Finding& other = findings[i];
    const std::string name = printable(other.variable.value_or(other.lock.value_or(other.id)));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (names.size() > kShown) break;
  }
  const bool more = names.size() > kShown;
  if (more) names.resize(kShown);
  return fmt::format("The same places make {} more: {}{}.",
                     counted(group.same_places.size(), "finding"), fmt::join(names, ", "),
                     more ? ", …" : "");
}

}  // namespace foretrace
