// What a program in Java has beside its own parts.
#pragma once

#include <string>
#include <vector>

#include "programs/language.h"

namespace foretrace::programs {

struct JavaHelpers {
  std::string imports;
  std::string members;  // of the program's class
};

// As much of it as these programs need.
JavaHelpers java_helpers(const std::vector<Program>& programs, const ProgramOptions& options);

}  // namespace foretrace::programs
