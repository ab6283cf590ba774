// Summaries as text, for tests and for those who wonder what lint has seen.
#pragma once

#include <string>

#include "lint/summary.h"

namespace foretrace::lint {

std::string to_text(const Path& path, const Function& function);
std::string to_text(const Value& value, const Function& function);
std::string to_text(const Op& op, const Function& function);
std::string to_text(const Function& function);

}  // namespace foretrace::lint
