// A whole Tiddle file, for the subcommands that look at its lines.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace foretrace {

struct TiddleText {
  std::string name;  // for messages
  std::string text;
  std::vector<std::string> lines() const;  // without their ends
};

// "-" is standard input; looks through compression.
Result<TiddleText> read_tiddle(const std::string& path);

}  // namespace foretrace
