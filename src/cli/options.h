// Kinds of options that several subcommands have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace foretrace {

// A number as people write it: 10M, 1.5k, 200.
CLI::Option* add_count(CLI::App& app, const std::string& name, uint64_t& target,
                       const std::string& description);

// A share between 0 and 1.
CLI::Option* add_share(CLI::App& app, const std::string& name, double& target,
                       const std::string& description);

// One of a few words. They stand in the help and in the completion scripts.
CLI::Option* add_choice(CLI::App& app, const std::string& name, std::string& target,
                        std::vector<std::string> choices, const std::string& description);

// "a, b and c", or with another last word; "" for none.
std::string enumerated(const std::vector<std::string>& words, std::string_view last = "and");

}  // namespace foretrace
