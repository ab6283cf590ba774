#include "cli/schedule_file.h"

#include "base/output.h"
#include "findings/schedule.h"
#include "trace/format.h"

namespace foretrace {
namespace {

// How many events at the end may read or write another value than in the trace.
size_t ends_with_other_values(const Finding& finding) {
  if (finding.kind == "data-race") return 2;
  return finding.kind == "nondeterministic-read" ? 1 : 0;
}

}  // namespace

Result<void> write_schedule(const Trace& trace, const Finding& finding, const std::string& path) {
  const Format* format = format_of_file_name(path);
  if (format == nullptr) format = *format_named("tiddle");
  Result<std::unique_ptr<ByteSink>> sink = open_output(path);
  if (!sink) return tl::unexpected(sink.error());
  std::vector<Event> events;
  for (const uint64_t index : schedule_of(finding, trace)) events.push_back(trace.events[index]);
  for (size_t i = events.size() - ends_with_other_values(finding); i < events.size(); ++i) {
    events[i].has_value = 0;
  }
  const std::unique_ptr<TraceWriter> writer = format->writer(**sink, *trace.symbols);
  Result<void> done = writer->write({0, events, trace.big_values});
  if (done) done = writer->finish();
  return done ? (*sink)->close() : done;
}

}  // namespace foretrace
