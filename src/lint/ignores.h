// `// foretrace: ignore(rule)` comments in a source file.
#pragma once

#include <string_view>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

// A comment applies to its own line, or to the next one if nothing else stands on
// its line. `ignore(a, b)` gives one for each rule, `ignore` one with an empty rule.
std::vector<IgnoreComment> ignore_comments(Name file, std::string_view source);

}  // namespace foretrace::lint
