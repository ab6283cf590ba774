// Subcommands: one file each, which registers itself with a CommandRegistration.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/error.h"

namespace foretrace {

// Exit statuses that scripts rely on.
inline constexpr int kExitClean = 0;     // no findings
inline constexpr int kExitFindings = 1;  // findings
inline constexpr int kExitBadInput = 2;  // the command line or the input is bad
inline constexpr int kExitFault = 3;     // a fault of Foretrace itself

struct Command {
  // One word, or two: "tiddle check" is a command of the command "tiddle", which
  // is registered too, with group_setup.
  std::string_view name;
  std::string_view summary;   // one line, in the list of commands
  std::string_view examples;  // below the options in the command's --help
  // Declares the options on `app`; returns what runs the command after they
  // were parsed: the exit status, or an error (exit status 2).
  std::function<Result<int>()> (*setup)(CLI::App& app);
};

// A static object of this type in a command's file makes the command known.
struct CommandRegistration {
  explicit CommandRegistration(const Command& command);
};

// The setup of a command that is nothing but its commands.
std::function<Result<int>()> group_setup(CLI::App& app);

// All commands, by name; a group comes before its commands.
const std::vector<Command>& commands();

// Builds the parser with every registered command: for main(), and for what
// describes the command line (completion). `chosen` is set to the run function
// of the subcommand that parsing chose.
void build_command_line(CLI::App& app, std::function<Result<int>()>& chosen);

}  // namespace foretrace
