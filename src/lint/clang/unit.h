// One translation unit: from its command line to its summary.
#pragma once

#include <string>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

// Runs Clang with this command line (a compiler and its arguments, in the current
// folder). Sources that do not compile give what could be understood, and errors.
Summary summarise(std::vector<std::string> command);

}  // namespace foretrace::lint
