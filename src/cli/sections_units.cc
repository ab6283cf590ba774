// foretrace sections units: atomic sections of the units that a program names.
#include <memory>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/steering_options.h"
#include "hunting/unit_sections.h"

namespace foretrace {
namespace {

Result<int> run(const CLI::App& app, const SectionRuns& options) {
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
  if (Result<void> done = write_sections(options, *sections); !done) {
    return tl::unexpected(done.error());
  }
  fmt::print(stderr, "foretrace: {} from {}\n", counted(sections->size(), "section"),
             counted(options.runs, "run"));
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<SectionRuns>();
  add_section_runs(app, *options, 5, "How often the program is run");
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
