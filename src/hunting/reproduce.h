// Reproducing: a finding's schedule is forced on the real program.
#pragma once

#include <functional>
#include <string>

#include "hunting/script.h"
#include "hunting/steered_run.h"

namespace foretrace {

struct ReproduceOptions {
  SteeredProgram program;
  uint64_t tries = 20;
  uint64_t seed = 1;
  uint64_t hold_ms = 200;
};

struct ReproduceResult {
  bool observed = false;
  uint64_t tries = 0;
  Finding finding;          // what was predicted, now observed; with the stacks of the run
  SteerSettings settings;   // of the run that showed it
  std::string how;          // what was tried when it came about
  std::string program_end;  // how that run ended
  std::string why_not;      // else
};

class Reproduction {
 public:
  Reproduction(ReproduceOptions options, Finding finding, const Trace& trace);
  Result<ReproduceResult> run();

 private:
  struct Variant {
    std::string name;
    bool schedule;  // the whole script, or only its ending
    bool threads;   // steps are for the threads that they were recorded of
    uint64_t hold;  // times the usual
    bool noise;
  };
  SteerSettings settings_for(const Variant& variant, uint64_t attempt) const;
  // The finding as it was observed, if it was.
  bool is_shown(const SteeredRun& run, const SteerSettings& settings, Finding& observed);
  void note(const SteeredRun& run, const SteerSettings& settings);
  std::string why_not() const;

  ReproduceOptions options_;
  Finding finding_;
  Script script_;
  PlaceNames names_;
  PlaceResolver resolver_;
  // What was seen in all tries.
  std::set<std::string> reached_;  // places of the ending
  std::set<std::string> missed_;   // where threads were held in vain
  std::map<std::string, uint64_t> ends_;
};

}  // namespace foretrace
