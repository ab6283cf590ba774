// Options of the commands that steer a program, and a run of it in front of the
// user: `hunt`, `reproduce`, `heal`, `sections prune`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hunting/steered_run.h"

namespace foretrace {

struct ProgramOptions {
  double seconds = 60;
  std::string input = "/dev/null";
};
// --timeout, --stdin
void add_program_options(CLI::App& app, ProgramOptions& options);

// The program of the command line, with the folder of the steering runtime.
Result<SteeredProgram> steered_program(const CLI::App& app, const ProgramOptions& options);

// A command line that a shell understands.
std::string shell_line(const std::vector<std::string>& words);

// Runs the program in front of the user with settings from a file, once; or under
// gdb. Returns its exit status.
Result<int> run_again(const SteeredProgram& program, const std::string& settings_file, bool gdb);

}  // namespace foretrace
