#include "cli/trace_options.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/progress.h"

namespace foretrace {

void add_trace_options(CLI::App& app, TraceOptions& options) {
  app.add_option("TRACE", options.path, "The trace to read; - is standard input")->required();
  app.add_option("--input-format", options.stream.input_format,
                 "The trace's format, if it is not recognised by its content")
      ->type_name("FORMAT");
  app.add_flag("--lenient", options.stream.well_formed.lenient,
               "Drop events that no program can produce instead of refusing the trace");
  app.add_flag(
      "--unnested", options.stream.well_formed.unnested,
      "Accept critical sections that overlap without nesting; those of recordings always may");
}

void add_units_option(CLI::App& app, StreamOptions& options) {
  const auto read = [&options](const std::string& path) -> std::string {
    Result<UnitRules> rules = UnitRules::read(path);
    if (!rules) return rules.error().message;
    options.units = std::make_shared<const UnitRules>(std::move(*rules));
    return {};
  };
  app.add_option("--units", "Which units should be atomic: rules by label, see docs/units.md")
      ->type_name("FILE")
      ->check(read);
}

Result<NamedTrace> read_trace(const TraceOptions& options) {
  Result<std::unique_ptr<TraceStream>> stream = TraceStream::open(options.path, options.stream);
  if (!stream) return tl::unexpected(stream.error());
  Progress progress("reading " + (*stream)->source_name());
  Trace trace;
  for (;;) {
    const Result<EventBatch> batch = (*stream)->next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) break;
    trace.append(*batch);
    progress.update((*stream)->progress(), (*stream)->event_count());
  }
  trace.symbols = (*stream)->shared_symbols();
  print_notes(**stream);
  return NamedTrace{std::move(trace), (*stream)->source_name(), (*stream)->is_unnested()};
}

void print_notes(const TraceStream& stream) {
  for (const std::string& note : stream.notes()) fmt::print(stderr, "foretrace: {}\n", note);
}

}  // namespace foretrace
