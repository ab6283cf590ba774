// What a steered program is told to do, as the text that its runtime reads
// (docs/formats/steer.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace foretrace {

// How noise is made. The name is what --noise takes.
struct NoiseSetting {
  std::string heuristic = "none";  // none, random, variable, location, directed, priority
  std::string manner = "sleep";    // sleep, yield, spin
  uint64_t strength = 1000;        // microseconds
  uint64_t frequency = 0;          // per mille
  bool shared_only = false;

  // "random 50/1000 sleep": as in the paper's Table 2.
  std::string name() const;
  bool operator==(const NoiseSetting&) const = default;
};

// A place to make noise or to hold a thread at: "file:line:column", or
// "@module+offset" in code that has no sites.
struct SteerPlace {
  std::string place;
  std::string variable;  // empty: any
  bool operator==(const SteerPlace&) const = default;
};

struct SteerStep {
  std::string thread;  // "main", "T1"; "-": any
  std::string place;
  std::string access;  // "read", "write", "any"
  bool last = false;   // one of those that meet at the end
  bool sync = false;   // a synchronisation
};

struct SteerSettings {
  uint64_t seed = 1;
  NoiseSetting noise;
  std::vector<SteerPlace> sites;       // of noise by location
  std::vector<std::string> variables;  // of noise by variable
  std::vector<SteerPlace> meetings;    // of directed noise
  std::vector<SteerStep> steps;
  uint64_t hold_ms = 100;
  uint64_t budget_ms = 1000;
  bool learn = false;
  std::string sections;  // the text of a file of atomic sections
  bool units = false;    // tell of pairs of accesses in annotated units
  bool check_sections = false;
  std::string healing = "none";  // none, yield, priority, lock
  std::string log;

  // `report` may be empty: nobody reads what happens.
  std::string text(const std::string& report) const;
};

}  // namespace foretrace
