// Atomic sections of what a program says of itself: FORETRACE_UNIT and
// FORETRACE_ATOMIC (foretrace/annotate.h). Accesses to one variable that follow each
// other in a unit are a section, which others may disturb as Table 1 of paper 003
// permits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hunting/section_file.h"
#include "hunting/steered_run.h"

namespace foretrace {

struct UnitOptions {
  SteeredProgram program;
  uint64_t runs = 5;
  uint64_t seed = 1;
};

// Runs the program and looks at what its units do.
Result<std::vector<AtomicSection>> sections_of_units(const UnitOptions& options);

}  // namespace foretrace
