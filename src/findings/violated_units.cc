#include "findings/violated_units.h"

#include <algorithm>
#include <map>

namespace foretrace {
namespace {

// Of one analysis about one unit.
struct Tally {
  uint64_t times = 0;
  std::map<std::string, uint64_t> culprits;
};

std::string where(const FindingEvent& event) {
  if (!event.function.empty()) return event.function;
  if (!event.site.empty()) return event.site;
  return "thread " + event.thread;
}

void add(const Finding& finding, Tally& tally) {
  const uint64_t times = finding.detail.value("count", uint64_t{1});
  tally.times += times;
  // The first event is one of the unit.
  const auto culprit = std::find_if(
      finding.events.begin(), finding.events.end(),
      [&](const FindingEvent& event) { return event.thread != finding.events.front().thread; });
  if (culprit != finding.events.end()) tally.culprits[where(*culprit)] += times;
}

std::vector<Culprit> most_frequent_first(const std::map<std::string, uint64_t>& culprits) {
  std::vector<Culprit> list;
  for (const auto& [name, times] : culprits) list.push_back({name, times});
  std::stable_sort(list.begin(), list.end(),
                   [](const Culprit& a, const Culprit& b) { return a.times > b.times; });
  return list;
}

}  // namespace

std::vector<std::string> blamed_units(const Finding& finding) {
  const auto blamed = finding.detail.find("blamed");
  if (blamed != finding.detail.end()) return blamed->get<std::vector<std::string>>();
  return finding.labels;
}

std::vector<ViolatedUnit> violated_units(const std::vector<Finding>& findings) {
  std::map<std::string, std::map<std::string, Tally>> tallies;  // by unit and analysis
  std::map<std::string, Strength> strengths;
  for (const Finding& finding : findings) {
    for (const std::string& unit : blamed_units(finding)) {
      add(finding, tallies[unit][finding.analysis]);
      Strength& strength = strengths.try_emplace(unit, finding.strength).first->second;
      strength = std::max(strength, finding.strength);
    }
  }
  std::vector<ViolatedUnit> units;
  for (const auto& [label, by_analysis] : tallies) {
    const Tally& most =
        std::max_element(by_analysis.begin(), by_analysis.end(), [](const auto& a, const auto& b) {
          return a.second.times < b.second.times;
        })->second;
    units.push_back({label, strengths[label], most.times, most_frequent_first(most.culprits)});
  }
  std::stable_sort(units.begin(), units.end(), [](const ViolatedUnit& a, const ViolatedUnit& b) {
    return std::pair(a.strength, a.times) > std::pair(b.strength, b.times);
  });
  return units;
}

}  // namespace foretrace
