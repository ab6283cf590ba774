// foretrace sections units: atomic sections of the units that a program names.
#include <memory>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/steering_options.h"
#include "hunting/unit_sections.h"

namespace foretrace {
namespace {

struct Options {
  ProgramOptions program;
  std::string output = "-";
  uint64_t runs = 5;
  uint64_t seed = 1;
};

Result<int> run(const CLI::App& app, const Options& options) {
  const Result<SteeredProgram> program = steered_program(app, options.program);
  if (!program) return tl::unexpected(program.error());
  catch_interrupt();
  const Result<std::vector<AtomicSection>> sections =
      sections_of_units({*program, options.runs, options.seed});
  if (!sections) return tl::unexpected(sections.error());
  if (sections->empty()) {
    return fail(
        "{} came to no unit that accesses a variable twice; FORETRACE_UNIT in "
        "foretrace/annotate.h says what a unit is",
        printable(program->words.front()));
  }
  if (Result<void> done = write_text(options.output, sections_text(*sections)); !done) {
    return tl::unexpected(done.error());
  }
  fmt::print(stderr, "foretrace: {} from {}\n", counted(sections->size(), "section"),
             counted(options.runs, "run"));
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->output, "Where they go; - is standard output")
      ->type_name("FILE");
  add_count(app, "--runs", options->runs, "How often the program is run");
  add_count(app, "--seed", options->seed, "Of the first run; each run has the next one");
  add_program_options(app, options->program);
  take_program_words(app);
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "sections units",
    .summary = "make sections of the units that the program's annotations name",
    .examples = "  foretrace sections units -o bank.sections -- ./bank\n"
                "  foretrace hunt --sections bank.sections -- ./bank\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
