// The places and variables that noise is worth making at: those that findings
// name, those where a race was caught, and those where two threads were seen.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hunting/known_findings.h"
#include "hunting/steer_settings.h"
#include "hunting/steered_report.h"

namespace foretrace {

class Targets {
 public:
  explicit Targets(const KnownFindings& known);

  bool empty() const { return places_.empty(); }
  // What a run has told of places.
  void learn(const SteeredReport& report, PlaceResolver& resolver);
  // Noise at this place led to something, or to nothing new.
  void praise(const RawEntry& race);
  void blame(const SteerSettings& settings);

  // Fills in the places and variables that the setting needs: a few each time,
  // the promising ones more often.
  void choose(SteerSettings& settings, std::mt19937_64& random) const;

 private:
  struct Target {
    std::string place;  // empty: wherever the variable is accessed
    std::string variable;
    double weight = 1;
  };
  void add(const std::string& place, const std::string& variable, double weight);
  std::vector<SteerPlace> pick(size_t count, std::mt19937_64& random) const;
  static std::string key_of(const std::string& place, const std::string& variable);

  std::map<std::string, Target> places_;
  std::vector<std::string> known_sites_;  // of findings, as the source calls them
};

}  // namespace foretrace
