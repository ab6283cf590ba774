// Options of the commands that steer a program, and a run of it in front of the
// user: `hunt`, `reproduce`, `heal`, `sections …`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "hunting/section_file.h"
#include "hunting/steered_run.h"

namespace foretrace {

struct ProgramOptions {
  double seconds = 60;
  std::string input = "/dev/null";
};
// --timeout, --stdin
void add_program_options(CLI::App& app, ProgramOptions& options);

// Of the commands that run a program some times and write atomic sections.
struct SectionRuns {
  ProgramOptions program;
  std::string output = "-";
  uint64_t runs = 1;
  uint64_t seed = 1;
};
// --output, --runs (with this default), --seed, those of the program, and the program
// itself.
void add_section_runs(CLI::App& app, SectionRuns& options, uint64_t runs,
                      const std::string& runs_help);
Result<void> write_sections(const SectionRuns& options, const std::vector<AtomicSection>& sections);

// The program of the command line, with the folder of the steering runtime.
Result<SteeredProgram> steered_program(const CLI::App& app, const ProgramOptions& options);

// A command line that a shell understands.
std::string shell_line(const std::vector<std::string>& words);

// Runs the program in front of the user with settings from a file, once; or under
// gdb. Returns its exit status.
Result<int> run_again(const SteeredProgram& program, const std::string& settings_file, bool gdb);

}  // namespace foretrace
