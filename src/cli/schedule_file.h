// Writes a finding's schedule as a trace.
#pragma once

#include <string>

#include "base/error.h"
#include "findings/finding.h"
#include "trace/stream.h"

namespace foretrace {

// The finding must have a schedule. The format follows the name of the file;
// Tiddle if that says nothing. Values of a race's two accesses, and of a read that
// sees another write, are left out: in that order they may be others.
Result<void> write_schedule(const Trace& trace, const Finding& finding, const std::string& path);

}  // namespace foretrace
