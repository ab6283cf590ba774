// Summaries of translation units: from the cache, or made by processes of their own,
// several at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "lint/commands.h"
#include "lint/summary.h"

namespace foretrace::lint {

struct UnitOptions {
  std::string worker;  // foretrace-lint-unit
  std::string cache;   // folder; empty: no cache
  unsigned jobs = 1;
};

struct Units {
  std::vector<std::string> files;     // with the summaries, in the order of the commands
  std::vector<std::string> problems;  // what Clang said, a sentence or more per file
  size_t failed = 0;                  // files with problems
  size_t cached = 0;                  // summaries that were made before
  uint64_t lines = 0;                 // of all files that are no system headers, each once
  uint64_t hash = 0;                  // of all summaries
  std::shared_ptr<const void> kept;   // while it lives, so do the files
};

// A file that does not compile, or on which Clang crashes, is a problem and does not
// keep the others from being looked at.
Result<Units> summarise_units(const std::vector<CompileCommand>& commands,
                              const UnitOptions& options);

// Reads them. What several have, functions of headers, is in the first only.
Result<std::vector<Summary>> read_summaries(const Units& units);

// $XDG_CACHE_HOME/foretrace/lint or ~/.cache/foretrace/lint.
std::string default_cache();

}  // namespace foretrace::lint
