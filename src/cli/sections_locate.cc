// foretrace sections locate: where sections are in a program whose code has no sites.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/steering_options.h"
#include "hunting/section_places.h"

namespace foretrace {
namespace {

struct Options {
  std::string sections;
  SectionRuns runs;
};

bool is_located(const AtomicSection& section) {
  return !section.entry.code.empty() &&
         std::any_of(section.ends.begin(), section.ends.end(),
                     [](const SectionPoint& end) { return !end.code.empty(); });
}

Result<int> run(const CLI::App& app, const Options& options) {
  const Result<std::vector<AtomicSection>> sections = read_sections(options.sections);
  if (!sections) return tl::unexpected(sections.error());
  const Result<SteeredProgram> program = steered_program(app, options.runs.program);
  if (!program) return tl::unexpected(program.error());
  catch_interrupt();
  const Result<SectionPlaces> places = learn_places(*program, options.runs.runs, options.runs.seed);
  if (!places) return tl::unexpected(places.error());
  const std::vector<AtomicSection> located = places->located(*sections);
  const auto found =
      static_cast<uint64_t>(std::count_if(located.begin(), located.end(), is_located));
  if (found == 0) {
    return fail(
        "{} came to no section of {} in code without sites (what Clang 22 builds has sites, and "
        "needs no locating)",
        printable(program->words.front()), options.sections);
  }
  if (Result<void> done = write_sections(options.runs, located); !done) {
    return tl::unexpected(done.error());
  }
  fmt::print(stderr, "foretrace: {} of {} located\n", found, counted(located.size(), "section"));
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("--sections", options->sections, "The sections to locate")
      ->type_name("FILE")
      ->required();
  add_section_runs(app, options->runs, 1, "How often the program is run");
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "sections locate",
    .summary = "find out where sections are in a program of GCC or an older Clang",
    .examples = "  FORETRACE_CXX=g++ foretrace c++ --heal=bank.sections -O2 -o bank bank.cpp\n"
                "  foretrace sections locate --sections bank.sections -o bank.located -- ./bank\n"
                "  foretrace heal --sections bank.located -- ./bank\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
