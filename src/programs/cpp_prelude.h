// What a program in C++ has before its own parts: includes and helpers.
#pragma once

#include <string>
#include <vector>

#include "programs/language.h"

namespace foretrace::programs {

// As much of it as these programs need.
std::string cpp_prelude(const std::vector<Program>& programs, const ProgramOptions& options);

}  // namespace foretrace::programs
