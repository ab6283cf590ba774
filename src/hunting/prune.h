// Pruning of atomic sections (paper 003, section 4.3): what is violated in runs
// that are good was not meant to be atomic.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hunting/section_file.h"
#include "hunting/steered_run.h"

namespace foretrace {

struct PruneOptions {
  SteeredProgram program;
  std::string oracle;        // a command; empty: the exit status is 0
  uint64_t quiet_runs = 10;  // good runs without a change, in a row, that end it
  uint64_t most_runs = 200;
  uint64_t seed = 1;
};

struct PruneResult {
  std::vector<AtomicSection> sections;
  uint64_t runs = 0;
  uint64_t good_runs = 0;
  uint64_t violated = 0;  // ends that were dropped because a good run violated them
  uint64_t unseen = 0;    // ends that no run came to
  bool settled = false;   // else the runs were used up before nothing changed any more
};

Result<PruneResult> prune_sections(std::vector<AtomicSection> sections, const PruneOptions& options,
                                   const std::function<void(const std::string&)>& say);

}  // namespace foretrace
