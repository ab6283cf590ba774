// The options of every subcommand that reads a trace.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "trace/stream.h"

namespace foretrace {

struct TraceOptions {
  std::string path;
  StreamOptions stream;
};

// TRACE (required), --input-format, --lenient, --unnested.
void add_trace_options(CLI::App& app, TraceOptions& options);

// --units, for those who look at units.
void add_units_option(CLI::App& app, StreamOptions& options);

struct NamedTrace {
  Trace trace;
  std::string source;  // its name, for messages
  bool is_unnested;    // its critical sections may overlap, and nobody needs to say so
};

// Reads the whole trace, and prints its notes.
Result<NamedTrace> read_trace(const TraceOptions& options);

// One line on standard error for each note of the stream.
void print_notes(const TraceStream& stream);

}  // namespace foretrace
