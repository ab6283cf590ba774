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
      if (!event.site.empty()) known_sites_.push_back(event.site);
      add(event.site, event.site.empty() ? event.object : "", kKnownWeight);
    }
  }
}

// Compilers have no place for what they moved out of a loop: then the variable has
// to do.
std::string Targets::key_of(const std::string& place, const std::string& variable) {
  return place.empty() || place == ":0:0" ? "=" + variable : place;
}

void Targets::add(const std::string& place, const std::string& variable, double weight) {
  const std::string key = key_of(place, variable);
  if (key.starts_with('=') && !is_named(variable)) return;
  const auto [known, is_new] = places_.try_emplace(key);
  if (is_new) {
    known->second.weight = weight;
    if (!key.starts_with('=')) known->second.place = place;
  }
  known->second.weight = std::max(known->second.weight, weight);
  if (known->second.variable.empty()) known->second.variable = variable;
}

void Targets::learn(const SteeredReport& report, PlaceResolver& resolver) {
  for (const RawEntry& entry : report.entries) {
    if (entry.kind != RawEntry::Kind::shared || entry.accesses.empty()) continue;
    const RawAccess& access = entry.accesses.front();
    const std::string site = text_of(resolver.shown(access.place, access.frames));
    if (is_system_file(access.place.frame.file)) continue;
    const bool is_known =
        std::any_of(known_sites_.begin(), known_sites_.end(),
                    [&](const std::string& known) { return same_place(known, site); });
    add(access.place.key, resolver.variable(access), is_known ? kKnownWeight : kSeenWeight);
  }
}

void Targets::praise(const RawEntry& race) {
  for (const RawAccess& access : race.accesses) {
    add(access.place.key, access.place.what, kCaughtWeight);
    const auto known = places_.find(key_of(access.place.key, access.place.what));
    if (known != places_.end()) known->second.weight *= 1.5;
  }
}

void Targets::blame(const SteerSettings& settings) {
  const auto weaken = [&](const SteerPlace& chosen) {
    const auto known = places_.find(key_of(chosen.place, chosen.variable));
    if (known == places_.end()) return;
    known->second.weight = std::max(kLeastWeight, known->second.weight * 0.8);
  };
  for (const SteerPlace& site : settings.sites) weaken(site);
  for (const SteerPlace& meeting : settings.meetings) weaken(meeting);
}

std::vector<SteerPlace> Targets::pick(size_t count, std::mt19937_64& random) const {
  std::vector<std::pair<double, const Target*>> order;
  for (const auto& [key, target] : places_) {
    // Weighted choice without replacement: the smallest of exponential times.
    std::exponential_distribution<double> time(target.weight);
    order.emplace_back(time(random), &target);
  }
  std::sort(order.begin(), order.end());
  std::vector<SteerPlace> chosen;
  for (size_t i = 0; i < std::min(count, order.size()); ++i) {
    const Target& target = *order[i].second;
    chosen.push_back({target.place, target.place.empty() ? target.variable : ""});
  }
  return chosen;
}

void Targets::choose(SteerSettings& settings, std::mt19937_64& random) const {
  const std::string& heuristic = settings.noise.heuristic;
  if (heuristic == "location") {
    settings.sites = pick(kPlacesEach, random);
  } else if (heuristic == "directed") {
    settings.meetings = pick(kPlacesEach / 2, random);
  } else if (heuristic == "variable") {
    settings.sites = pick(2, random);
    std::set<std::string> names;
    for (const SteerPlace& site : settings.sites) {
      const std::string& variable = places_.at(key_of(site.place, site.variable)).variable;
      if (is_named(variable)) names.insert(variable);
    }
    settings.variables.assign(names.begin(), names.end());
    // Places in code have no names that the program itself knows.
    for (const auto& [key, target] : places_) {
      if (key.starts_with('@') && names.contains(target.variable)) {
        settings.sites.push_back({target.place, ""});
      }
    }
  }
}

}  // namespace foretrace
