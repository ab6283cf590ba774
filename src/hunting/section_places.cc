#include "hunting/section_places.h"

#include <algorithm>

#include "base/interrupt.h"
#include "hunting/known_findings.h"
#include "steering/matching.h"

namespace foretrace {
namespace {

bool has_name(const SectionPoint& point, const std::string& key) {
  return (point.code + "|").find("|" + key + "|") != std::string::npos;
}

}  // namespace

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

// Columns are Clang's: where none fits, the line has to do.
void SectionPlaces::name(SectionPoint& point, const std::string& variable) const {
  if (!name_by(same_place, point, variable)) name_by(same_line, point, variable);
}

bool SectionPlaces::name_by(bool (*is_same)(const std::string&, const std::string&),
                            SectionPoint& point, const std::string& variable) const {
  bool found = false;
  for (const CodePlace& place : places_) {
    if (!is_same(place.site, point.site)) continue;
    if (!point.access.empty() && place.write != (point.access == "write")) continue;
    if (!point.access.empty() && steering::is_known(variable.c_str()) && !place.variable.empty() &&
        !steering::same_variable(variable.c_str(), place.variable.c_str())) {
      continue;
    }
    found = true;
    if (!has_name(point, place.key)) point.code += "|" + place.key;
  }
  return found;
}

std::vector<SectionPoint> SectionPlaces::others(const AtomicSection& section) const {
  std::vector<SectionPoint> found;
  if (!steering::is_known(section.variable.c_str())) return found;
  for (const CodePlace& place : places_) {
    if (place.variable.empty() ||
        !steering::same_variable(section.variable.c_str(), place.variable.c_str())) {
      continue;
    }
    const bool is_end =
        std::any_of(section.ends.begin(), section.ends.end(),
                    [&](const SectionPoint& end) { return has_name(end, place.key); });
    if (is_end || has_name(section.entry, place.key)) continue;
    found.push_back(
        {place.write ? "write" : "read", site_with_column(place.site), "-", "|" + place.key});
  }
  return found;
}

std::vector<AtomicSection> SectionPlaces::located(
    const std::vector<AtomicSection>& sections) const {
  std::vector<AtomicSection> copies = sections;
  for (AtomicSection& section : copies) {
    name(section.entry, section.variable);
    for (SectionEndPoint& end : section.ends) name(end, section.variable);
    for (SectionPoint& exit : section.exits) name(exit, section.variable);
    section.others = others(section);
  }
  return copies;
}

std::string SectionPlaces::text(const std::vector<AtomicSection>& sections) const {
  return sections_text(located(sections));
}

Result<SectionPlaces> learn_places(const SteeredProgram& program, uint64_t runs, uint64_t seed) {
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  SectionPlaces places;
  PlaceResolver resolver;
  for (uint64_t i = 0; i < runs && !interrupted(); ++i) {
    SteerSettings settings;
    settings.seed = seed + i;
    settings.learn = true;
    const Result<SteeredRun> run = run_steered(program, settings, **folder, "run");
    if (!run) return tl::unexpected(run.error());
    places.learn(run->report, resolver);
  }
  return places;
}

}  // namespace foretrace
