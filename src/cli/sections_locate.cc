// foretrace sections locate: where sections are in a program whose code has no sites.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/steering_options.h"
#include "hunting/section_places.h"

namespace foretrace {
namespace {

struct Options {
  ProgramOptions program;
  std::string sections;
  std::string output = "-";
  uint64_t runs = 1;
  uint64_t seed = 1;
};

Result<SectionPlaces> learn_places(const SteeredProgram& program, const Options& options) {
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  SectionPlaces places;
  PlaceResolver resolver;
  for (uint64_t i = 0; i < options.runs && !interrupted(); ++i) {
    SteerSettings settings;
    settings.seed = options.seed + i;
    settings.learn = true;
    const Result<SteeredRun> run = run_steered(program, settings, **folder, "run");
    if (!run) return tl::unexpected(run.error());
    places.learn(run->report, resolver);
  }
  return places;
}

bool is_located(const AtomicSection& section) {
  return !section.entry.code.empty() &&
         std::any_of(section.ends.begin(), section.ends.end(),
                     [](const SectionPoint& end) { return !end.code.empty(); });
}

Result<int> run(const CLI::App& app, const Options& options) {
  const Result<std::vector<AtomicSection>> sections = read_sections(options.sections);
  if (!sections) return tl::unexpected(sections.error());
  const Result<SteeredProgram> program = steered_program(app, options.program);
  if (!program) return tl::unexpected(program.error());
  catch_interrupt();
  const Result<SectionPlaces> places = learn_places(*program, options);
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
  if (Result<void> done = write_text(options.output, sections_text(located)); !done) {
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
  app.add_option("-o,--output", options->output, "Where they go; - is standard output")
      ->type_name("FILE");
  add_count(app, "--runs", options->runs, "How often the program is run");
  add_count(app, "--seed", options->seed, "Of the first run; each run has the next one");
  add_program_options(app, options->program);
  take_program_words(app);
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
