#include "hunting/section_places.h"

#include "hunting/known_findings.h"
#include "steering/matching.h"

namespace foretrace {

void SectionPlaces::learn(const SteeredReport& report, PlaceResolver& resolver) {
  for (const RawEntry& entry : report.entries) {
    if (entry.kind != RawEntry::Kind::visited && entry.kind != RawEntry::Kind::shared) continue;
    for (const RawAccess& access : entry.accesses) {
      if (!access.place.is_code) continue;
      // Of what has no name, "memory used at …" says no more than the place does.
      std::string variable = resolver.variable(access);
      if (variable.starts_with("memory")) variable.clear();
      places_.insert({text_of(resolver.shown(access.place, access.frames)), access.place.key,
                      std::move(variable), access.write});
    }
  }
}

std::string SectionPlaces::named(const SectionPoint& point, const std::string& variable) const {
  std::string names = point.site;
  for (const CodePlace& place : places_) {
    if (!same_place(place.site, point.site)) continue;
    if (!point.access.empty() && place.write != (point.access == "write")) continue;
    if (!point.access.empty() && steering::is_known(variable.c_str()) && !place.variable.empty() &&
        !steering::same_variable(variable.c_str(), place.variable.c_str())) {
      continue;
    }
    names += "|" + place.key;
  }
  return names;
}

std::string SectionPlaces::text(const std::vector<AtomicSection>& sections) const {
  std::vector<AtomicSection> copies = sections;
  for (AtomicSection& section : copies) {
    section.entry.site = named(section.entry, section.variable);
    for (SectionEndPoint& end : section.ends) end.site = named(end, section.variable);
    for (SectionPoint& exit : section.exits) exit.site = named(exit, section.variable);
  }
  return sections_text(copies);
}

}  // namespace foretrace
