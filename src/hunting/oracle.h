// Tells good runs from bad ones.
#pragma once

#include "hunting/steered_run.h"

namespace foretrace {

// What the user's command says of a run: it has FORETRACE_STATUS, FORETRACE_STDOUT
// and FORETRACE_STDERR, and its own status is 0 if the run was good. Without a
// command, the program's exit status says it. A run that hung is bad.
Result<bool> is_good_run(const SteeredRun& run, const std::string& oracle);

}  // namespace foretrace
