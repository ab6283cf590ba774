// foretrace tiddle equivalents: the traces that are equivalent to a trace.
#include <memory>

#include "base/interrupt.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/equivalents_options.h"
#include "cli/trace_options.h"
#include "programs/equivalents.h"

namespace foretrace {
namespace {

struct Options {
  TraceOptions trace;
  std::string order = "hb";
  bool count = false;
  uint64_t limit = 0;
};

// Each as it is found: there may be more than anyone can wait for. Whoever reads
// may have enough before the end.
Result<void> print(const Trace& trace, const Options& options) {
  catch_interrupt();
  const Format& tiddle = **format_named("tiddle");
  programs::Equivalents equivalents(trace, order_named(options.order));
  for (uint64_t number = 1; options.limit == 0 || number <= options.limit; ++number) {
    if (interrupted() || !equivalents.next()) break;
    const Trace variant = equivalents.trace();
    std::string text = fmt::format("{}# {}\n", number == 1 ? "" : "\n", number);
    const std::unique_ptr<ByteSink> sink = string_output(text);
    const std::unique_ptr<TraceWriter> writer = tiddle.writer(*sink, *variant.symbols);
    Result<void> done = writer->write(variant.batch());
    if (done) done = writer->finish();
    if (!done) return done;
    fmt::print("{}", text);
    if (std::fflush(stdout) != 0) break;  // main() says so
  }
  return {};
}

Result<int> run(Options options) {
  options.trace.stream.well_formed.unnested = true;
  const Result<NamedTrace> read = read_trace(options.trace);
  if (!read) return tl::unexpected(read.error());
  const Trace& trace = read->trace;
  if (options.count) {
    const Result<std::string> count =
        programs::count_equivalents(trace, order_named(options.order));
    if (!count) return tl::unexpected(count.error());
    fmt::print("{}\n", *count);
    return kExitClean;
  }
  if (Result<void> done = print(trace, options); !done) return tl::unexpected(done.error());
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  add_order_option(app, options->order);
  CLI::Option* const count =
      app.add_flag("--count", options->count, "Print how many there are, and none of them");
  add_count(app, "--limit", options->limit, "Print at most this many; 0 is all")->excludes(count);
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "tiddle equivalents",
    .summary = "print all traces that are equivalent to a trace, or how many there are",
    .examples = "  foretrace tiddle equivalents race.tiddle --limit 10\n"
                "  foretrace tiddle equivalents race.tiddle --order cr --count",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
