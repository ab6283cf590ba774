// What --help prints.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

namespace foretrace {

// Lays out the help of the program and of its commands for 80 columns: what it
// is for, usage, arguments, options with their defaults, commands, and the
// footer (the examples).
std::shared_ptr<CLI::FormatterBase> help_formatter();

// The option as a user writes it, without its value: "--top", "-o", "TRACE".
std::string option_name(const CLI::Option& option);

// The command as a user writes it: "foretrace tiddle check".
std::string full_name(const CLI::App& app);

// Whether a value follows the option.
bool takes_value(const CLI::Option& option);

}  // namespace foretrace
