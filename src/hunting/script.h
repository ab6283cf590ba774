// From a finding and its witness to the script that a program is made to follow.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "hunting/steer_settings.h"
#include "hunting/steered_report.h"
#include "trace/stream.h"

namespace foretrace {

// What settings call the places that the source calls "file:line:column": of
// programs without the plugin's sites, known after a run that learns them.
class PlaceNames {
 public:
  void learn(const SteeredReport& report, PlaceResolver& resolver);
  // All of them; the place itself if none is known.
  std::vector<std::string> of(const std::string& site) const;

 private:
  std::map<std::string, std::set<std::string>> names_;  // by the text of the place
};

struct Script {
  std::vector<SteerStep> schedule;  // synchronisation, in the order of the witness
  std::vector<SteerStep> ending;    // the finding's own events
  bool is_ordered = false;          // the ending is an order, not a meeting
};

// `trace` may have no events: then there is only the ending.
Script make_script(const Finding& finding, const Trace& trace);

// The steps as settings name them.
std::vector<SteerStep> named_steps(const std::vector<SteerStep>& steps, const PlaceNames& names);

}  // namespace foretrace
