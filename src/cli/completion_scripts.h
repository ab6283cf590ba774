// Completion scripts, made from the parser itself.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace foretrace {

// What a shell needs to know of an option or argument.
struct CompletedOption {
  std::vector<std::string> names;  // "-o", "--output"; empty for an argument
  std::string description;
  bool takes_value = false;
  bool list = false;                // the value is words with commas between
  std::vector<std::string> values;  // empty: a file, if the value is one
  bool file = false;
};

// Of a command, or, with an empty name, of the program.
struct CompletedCommand {
  std::string name;  // "analyze", "tiddle check"
  std::string summary;
  std::vector<CompletedOption> options;
  std::vector<CompletedOption> arguments;
  std::vector<std::string> commands;  // that it has, by their last words
};

// The program comes first, and a group before its commands.
std::vector<CompletedCommand> describe_commands(const CLI::App& app);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);

}  // namespace foretrace
