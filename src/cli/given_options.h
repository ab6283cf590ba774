// Options that are not on the command line: of `run` and `record` from the variable
// FORETRACE_OPTIONS, of these and of `lint` from a foretrace.toml in the current folder
// or the nearest one above it.
#pragma once

#include <CLI/CLI.hpp>

#include "base/error.h"

namespace foretrace {

// Sets the options of the command that its words did not set. What the variable
// says goes before what the file says in the command's table.
Result<void> apply_given_options(CLI::App& app);
// The same without the variable, which is about programs that run.
Result<void> apply_file_options(CLI::App& app);

}  // namespace foretrace
