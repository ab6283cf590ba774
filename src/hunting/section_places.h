// Sections in programs whose code has no sites of the plugin: their places are
// addresses in the code, known after a run that learns them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hunting/section_file.h"
#include "hunting/steered_run.h"

namespace foretrace {

class SectionPlaces {
 public:
  void learn(const SteeredReport& report, PlaceResolver& resolver);
  // The sections with all names of each place, and with the accesses of their variables
  // elsewhere: code does not say of itself what it accesses.
  std::vector<AtomicSection> located(const std::vector<AtomicSection>& sections) const;
  // The same, as the text for settings.
  std::string text(const std::vector<AtomicSection>& sections) const;

 private:
  struct CodePlace {
    std::string site;  // in the source
    std::string key;   // "@module+offset"
    std::string variable;
    bool write = false;
    auto operator<=>(const CodePlace&) const = default;
  };
  void name(SectionPoint& point, const std::string& variable) const;
  bool name_by(bool (*is_same)(const std::string&, const std::string&), SectionPoint& point,
               const std::string& variable) const;
  std::vector<SectionPoint> others(const AtomicSection& section) const;

  std::set<CodePlace> places_;
};

// Runs the program some times to learn them; the seeds count up.
Result<SectionPlaces> learn_places(const SteeredProgram& program, uint64_t runs, uint64_t seed);

}  // namespace foretrace
