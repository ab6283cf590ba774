// foretrace generate: synthetic traces, for tests and measurements.
#include "base/progress.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/trace_output.h"
#include "trace/generator.h"

namespace foretrace {
namespace {

struct Options {
  GeneratorOptions generator;
  std::string shape = "flat";
  std::string output = "-";
  std::string format;
};

Result<void> write_all(TraceGenerator& generator, uint64_t total, TraceOutput& output) {
  Progress progress("generating");
  EventBuffer buffer;
  for (;;) {
    generator.next(buffer);
    if (buffer.events.empty()) return {};
    if (Result<void> done = output.write(buffer.batch()); !done) return done;
    const uint64_t count = buffer.first_index + buffer.events.size();
    progress.update(static_cast<double>(count) / static_cast<double>(total), count);
  }
}

Result<int> run(const Options& options) {
  GeneratorOptions chosen = options.generator;
  chosen.shape = fork_shape_named(options.shape).value_or(ForkShape::flat);
  if (Result<void> good = TraceGenerator::check(chosen); !good) {
    return tl::unexpected(good.error());
  }
  TraceGenerator generator(chosen);
  Result<TraceOutput> output =
      TraceOutput::open(options.output, options.format, "ftr", generator.symbols());
  if (!output) return tl::unexpected(output.error());
  if (Result<void> done = write_all(generator, chosen.events, *output); !done) {
    return tl::unexpected(done.error());
  }
  if (Result<void> done = output->finish("wrote"); !done) return tl::unexpected(done.error());
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  GeneratorOptions& generator = options->generator;
  app.add_option("-o,--output", options->output,
                 "The file to write, compressed if it ends in .gz or .zst; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--format,--output-format", options->format,
                 "The format to write; otherwise the file's extension says it, or it is ftr")
      ->type_name("FORMAT");
  add_count(app, "--events", generator.events, "The length of the trace, exactly");
  add_count(app, "--threads", generator.threads, "Threads, the first one included");
  add_count(app, "--locks", generator.locks, "Locks; 0 for none");
  add_count(app, "--locations", generator.locations, "Locations, not counting those of races");
  add_count(app, "--nesting", generator.nesting, "How deep critical sections nest, at most");
  add_share(app, "--guarded", generator.guarded,
            "Share of the accesses that are made under the location's lock; the others are to "
            "locations of one thread or that are only read");
  add_share(app, "--reads", generator.reads, "Share of the accesses that are reads");
  add_choice(app, "--shape", options->shape, {"flat", "tree", "waves", "none"},
             "Who forks and joins whom: the first thread all others, each thread two more, the "
             "first thread one generation after the other, or nobody: all exist from the start");
  add_count(app, "--races", generator.races,
            "Races to plant, on the locations race0, race1, ...; there are no others");
  add_count(app, "--units", generator.units, "Labels of units; 0 for no units");
  add_count(app, "--sites", generator.sites, "Sites (gen.cpp:1, ...); 0 for none");
  add_count(app, "--seed", generator.seed, "The same seed and options give the same trace");
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "generate",
    .summary = "write a synthetic trace with known races",
    .examples = "  foretrace generate --events 10M --threads 16 --races 5 -o big.ftr\n"
                "  foretrace generate --events 1G --races 5 | foretrace analyze - --analysis hb\n"
                "  foretrace generate --events 40 --threads 3 --races 1 --format tiddle",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
