// The line of a Tiddle trace that an error is about.
#pragma once

#include <string>

namespace foretrace {

// For an error that names a file and a line of it ("a.tiddle:12: …"): the line
// with a mark, as compilers show it. "" if the file is no Tiddle trace or cannot be
// read again.
std::string error_excerpt(const std::string& message);

// The same for a text that has been read; `number` counts from 1.
std::string line_excerpt(const std::string& line, uint64_t number);

}  // namespace foretrace
