// foretrace sections prune: drops the sections that were not meant to be atomic.
#include <memory>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/steering_options.h"
#include "hunting/prune.h"

namespace foretrace {
namespace {

struct Options {
  std::string sections;
  std::string oracle;
  uint64_t quiet = 10;
  SectionRuns runs;
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

Result<int> run(const CLI::App& app, const Options& options) {
  Result<std::vector<AtomicSection>> sections = read_sections(options.sections);
  if (!sections) return tl::unexpected(sections.error());
  const Result<SteeredProgram> program = steered_program(app, options.runs.program);
  if (!program) return tl::unexpected(program.error());
  catch_interrupt();
  const size_t before = sections->size();
  const Result<PruneResult> result = prune_sections(
      std::move(*sections),
      {*program, options.oracle, options.quiet, options.runs.runs, options.runs.seed}, say);
  if (!result) return tl::unexpected(result.error());
  if (Result<void> done = write_sections(options.runs, result->sections); !done) {
    return tl::unexpected(done.error());
  }
  say(fmt::format("{} of {} left after {} ({} good): {} violated in good runs, {} never come to",
                  result->sections.size(), counted(before, "section"), counted(result->runs, "run"),
                  result->good_runs, counted(result->violated, "end"),
                  counted(result->unseen, "end")));
  if (!result->settled) say("the runs were used up before nothing changed any more (--runs)");
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("--sections", options->sections, "The sections to prune")
      ->type_name("FILE")
      ->required();
  app.add_option("--oracle", options->oracle,
                 "A shell command that says whether a run was good (its status is 0); it has "
                 "FORETRACE_STATUS, FORETRACE_STDOUT and FORETRACE_STDERR (default: the program's "
                 "exit status is 0)")
      ->type_name("COMMAND");
  add_count(app, "--quiet-runs", options->quiet,
            "So many good runs in a row without a change end it");
  add_section_runs(app, options->runs, 200, "The most runs");
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "sections prune",
    .summary = "drop the sections that good runs violate, or that nobody comes to",
    .examples = "  foretrace lint --sections all.sections bank.cpp\n"
                "  foretrace sections prune --sections all.sections -o bank.sections --oracle "
                "'./check.sh' -- ./bank\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
