// Reads a trace that is in memory, once more.
#pragma once

#include <memory>
#include <string>

#include "trace/stream.h"

namespace foretrace {

// The trace must outlive the reader.
Result<std::unique_ptr<TraceReader>> read_from_memory(const std::string& name, const Trace& trace);

}  // namespace foretrace
