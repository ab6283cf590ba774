// Sections in programs whose code has no sites of the plugin: their places are
// addresses in the code, known after a run that learns them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "hunting/section_file.h"
#include "hunting/steered_report.h"

namespace foretrace {

class SectionPlaces {
 public:
  void learn(const SteeredReport& report, PlaceResolver& resolver);
  // The text for settings, with all names of each place.
  std::string text(const std::vector<AtomicSection>& sections) const;

 private:
  struct CodePlace {
    std::string site;  // in the source
    std::string key;   // "@module+offset"
    std::string variable;
    bool write = false;
    auto operator<=>(const CodePlace&) const = default;
  };
  std::string named(const SectionPoint& point, const std::string& variable) const;

  std::set<CodePlace> places_;
};

}  // namespace foretrace
