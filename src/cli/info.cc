// foretrace info: what is in a trace.
#include <fmt/format.h>

#include "base/progress.h"
#include "cli/command.h"
#include "cli/info_report.h"
#include "cli/options.h"
#include "cli/trace_options.h"

namespace foretrace {
namespace {

struct Options {
  TraceOptions trace;
  std::string format = "text";
  uint64_t top = 10;
};

Result<void> read_all(TraceStream& stream, TraceStatistics& statistics) {
  Progress progress("reading " + stream.source_name());
  for (;;) {
    const Result<EventBatch> batch = stream.next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) return {};
    statistics.process(*batch);
    progress.update(stream.progress(), stream.event_count());
  }
}

Result<int> run(const Options& options) {
  Result<std::unique_ptr<TraceStream>> stream =
      TraceStream::open(options.trace.path, options.trace.stream);
  if (!stream) return tl::unexpected(stream.error());
  TraceStatistics statistics((*stream)->symbols());
  if (Result<void> done = read_all(**stream, statistics); !done) {
    return tl::unexpected(done.error());
  }
  print_notes(**stream);
  const InfoReport report = {(*stream)->source_name(), (*stream)->symbols(), statistics,
                             options.top};
  fmt::print("{}", options.format == "json" ? info_json(report) : info_text(report));
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  add_units_option(app, options->trace.stream);
  add_count(app, "--top", options->top, "How many threads, locks and locations to list");
  add_choice(app, "--format", options->format, {"text", "json"}, "How to print it");
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "info",
    .summary = "show what is in a trace: counts, threads, locks, a picture over time",
    .examples = "  foretrace info run.ftr\n"
                "  foretrace info run.std.gz --top 30\n"
                "  foretrace info run.ftr --format json | jq .locks\n"
                "  foretrace generate --events 10M | foretrace info -",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
