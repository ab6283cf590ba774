#include "hunting/targets.h"

#include <algorithm>

namespace foretrace {
namespace {

constexpr double kSeenWeight = 1;
constexpr double kKnownWeight = 16;
constexpr double kCaughtWeight = 4;
constexpr double kLeastWeight = 0.05;
constexpr size_t kPlacesEach = 6;

bool is_named(const std::string& variable) {
  return !variable.empty() && !variable.starts_with("memory");
}

}  // namespace

Targets::Targets(const KnownFindings& known) {
  for (const Finding& finding : known.all()) {
    for (const FindingEvent& event : finding.events) {
      if (event.site.empty()) continue;
      known_sites_.push_back(event.site);
      add(event.site, "", kKnownWeight);
    }
  }
}

void Targets::add(const std::string& place, const std::string& variable, double weight) {
  const auto [known, is_new] = places_.try_emplace(place);
  if (is_new) known->second.weight = weight;
  known->second.weight = std::max(known->second.weight, weight);
  if (known->second.variable.empty()) known->second.variable = variable;
}

void Targets::learn(const SteeredReport& report, PlaceResolver& resolver) {
  for (const RawEntry& entry : report.entries) {
    if (entry.kind != RawEntry::Kind::shared || entry.accesses.empty()) continue;
    const RawAccess& access = entry.accesses.front();
    const std::string site = text_of(resolver.shown(access.place, access.frames));
    if (site.empty() || is_system_file(access.place.frame.file)) continue;
    const bool is_known =
        std::any_of(known_sites_.begin(), known_sites_.end(),
                    [&](const std::string& known) { return same_place(known, site); });
    add(access.place.key, resolver.variable(access), is_known ? kKnownWeight : kSeenWeight);
  }
}

void Targets::praise(const RawEntry& race) {
  for (const RawAccess& access : race.accesses) {
    add(access.place.key, "", kCaughtWeight);
    places_[access.place.key].weight *= 1.5;
  }
}

void Targets::blame(const SteerSettings& settings) {
  const auto weaken = [&](const std::string& place) {
    const auto known = places_.find(place);
    if (known == places_.end()) return;
    known->second.weight = std::max(kLeastWeight, known->second.weight * 0.8);
  };
  for (const SteerPlace& site : settings.sites) weaken(site.place);
  for (const SteerPlace& meeting : settings.meetings) weaken(meeting.place);
}

std::vector<std::string> Targets::pick(size_t count, std::mt19937_64& random) const {
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [place, target] : places_) {
    // Weighted choice without replacement: the smallest of exponential times.
    std::exponential_distribution<double> time(target.weight);
    order.emplace_back(time(random), place);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> chosen;
  for (size_t i = 0; i < std::min(count, order.size()); ++i) chosen.push_back(order[i].second);
  return chosen;
}

void Targets::choose(SteerSettings& settings, std::mt19937_64& random) const {
  const std::string& heuristic = settings.noise.heuristic;
  if (heuristic == "location") {
    for (std::string& place : pick(kPlacesEach, random)) settings.sites.push_back({place, ""});
  } else if (heuristic == "directed") {
    for (std::string& place : pick(kPlacesEach / 2, random)) {
      settings.meetings.push_back({place, ""});
    }
  } else if (heuristic == "variable") {
    std::set<std::string> names;
    for (const std::string& place : pick(2, random)) {
      const std::string& variable = places_.at(place).variable;
      if (is_named(variable)) names.insert(variable);
      settings.sites.push_back({place, ""});
    }
    settings.variables.assign(names.begin(), names.end());
    // Places in code have no names that the program itself knows.
    for (const auto& [place, target] : places_) {
      if (place.starts_with('@') && names.contains(target.variable)) {
        settings.sites.push_back({place, ""});
      }
    }
  }
}

}  // namespace foretrace
