// foretrace convert: from any trace format to any other.
#include "base/progress.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/trace_options.h"
#include "cli/trace_output.h"

namespace foretrace {
namespace {

struct Options {
  TraceOptions trace;
  std::string output;
  std::string format;
};

Result<void> copy(TraceStream& stream, TraceOutput& output) {
  Progress progress("converting " + stream.source_name());
  for (;;) {
    const Result<EventBatch> batch = stream.next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) return {};
    if (Result<void> done = output.write(*batch); !done) return done;
    progress.update(stream.progress(), stream.event_count());
  }
}

Result<int> run(const Options& options) {
  Result<std::unique_ptr<TraceStream>> stream =
      TraceStream::open(options.trace.path, options.trace.stream);
  if (!stream) return tl::unexpected(stream.error());
  Result<TraceOutput> output =
      TraceOutput::open(options.output, options.format, "", (*stream)->symbols());
  if (!output) return tl::unexpected(output.error());
  if (Result<void> done = copy(**stream, *output); !done) return tl::unexpected(done.error());
  print_notes(**stream);
  if (Result<void> done = output->finish("converted"); !done) return tl::unexpected(done.error());
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  add_units_option(app, options->trace.stream);
  app.add_flag("--as-analyzed", options->trace.stream.leave_out_ordered_accesses,
               "Of a recording only the events that 'run' and 'analyze' count by default, so that "
               "the indexes of their findings are those of OUT");
  app.add_option("OUT", options->output,
                 "The file to write, compressed if it ends in .gz or .zst; - is standard output")
      ->required();
  app.add_option("--output-format", options->format,
                 "The format to write, if OUT's extension does not say it: " +
                     enumerated(writable_formats(), "or"))
      ->type_name("FORMAT");
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "convert",
    .summary = "convert a trace to another format",
    .examples = "  foretrace convert run.std run.ftr\n"
                "  foretrace convert run.ftr run.tiddle.zst\n"
                "  foretrace convert run.data.gz - --output-format tiddle | less",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
