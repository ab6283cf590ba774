// Tiddle text as it should look.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretrace {

// Lines without errors (parse_tiddle_line) in columns: within a paragraph, that is
// lines without a blank one between them, threads, objects, values, sites and
// comments stand below each other. Comments stay; blank lines are one at most, and
// none at the start and the end. Formatting the result changes nothing.
std::string format_tiddle(const std::vector<std::string>& lines);

}  // namespace foretrace
