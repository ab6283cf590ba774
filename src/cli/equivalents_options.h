// The options of the subcommands that vary a trace.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "cli/options.h"
#include "programs/equivalents.h"

namespace foretrace {

inline CLI::Option* add_order_option(CLI::App& app, std::string& order) {
  return add_choice(app, "--order", order, {"hb", "cr"},
                    "What equivalent traces have in common: the happens-before relation (hb), or "
                    "what every read sees (cr, the correct reorderings)");
}

inline programs::Equivalence order_named(const std::string& order) {
  return order == "cr" ? programs::Equivalence::correct_reordering
                       : programs::Equivalence::happens_before;
}

}  // namespace foretrace
