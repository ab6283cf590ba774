// foretrace heal: runs a program and keeps threads apart where they should not
// meet.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/steering_options.h"
#include "hunting/section_file.h"
#include "report/read_report.h"

namespace foretrace {
namespace {

struct Options {
  std::string sections;
  std::string findings;
  std::string by = "lock";
  std::string log;
  std::string write;
  uint64_t hold = 100;
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

Result<std::vector<AtomicSection>> chosen_sections(const Options& options) {
  if (options.sections.empty() == options.findings.empty()) {
    return fail("heal needs either --sections FILE or --findings FILE");
  }
  if (!options.sections.empty()) return read_sections(options.sections);
  const Result<Report> report = read_report(options.findings);
  if (!report) return tl::unexpected(report.error());
  std::vector<AtomicSection> sections = sections_of(report->findings);
  if (sections.empty()) {
    return fail("{} has no race or violated section whose places are known", options.findings);
  }
  return sections;
}

Result<int> run(const CLI::App& app, const Options& options) {
  const Result<std::vector<AtomicSection>> sections = chosen_sections(options);
  if (!sections) return tl::unexpected(sections.error());
  if (!options.write.empty()) {
    if (Result<void> done = write_text(options.write, sections_text(*sections)); !done) {
      return tl::unexpected(done.error());
    }
    say(fmt::format("wrote {} to {}; foretrace c++ --heal={} builds a program for them",
                    counted(sections->size(), "section"), options.write, options.write));
    return kExitClean;
  }
  const Result<SteeredProgram> program = steered_program(app, {});
  if (!program) return tl::unexpected(program.error());
  Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  SteerSettings settings;
  settings.sections = sections_text(*sections);
  settings.healing = options.by;
  settings.hold_ms = options.hold;
  if (!options.log.empty()) settings.log = std::filesystem::absolute(options.log).string();
  if (Result<void> done = write_text((*folder)->path("settings.steer"), settings.text("")); !done) {
    return tl::unexpected(done.error());
  }
  return run_again(*program, (*folder)->path("settings.steer"), false);
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("--sections", options->sections, "The atomic sections to keep undisturbed")
      ->type_name("FILE");
  app.add_option("--findings", options->findings,
                 "A JSON report: sections are made of its races and violations")
      ->type_name("FILE");
  add_choice(app, "--by", options->by, {"yield", "priority", "lock"},
             "How threads are kept out: by giving way, by priorities, or by healing locks");
  add_count(app, "--hold", options->hold,
            "How long a thread waits for a healing lock at most, in milliseconds");
  app.add_option("--log", options->log, "Where the counts go (default: standard error)")
      ->type_name("FILE");
  app.add_option("--write", options->write,
                 "Only write the sections to FILE, for 'foretrace c++ --heal=FILE'")
      ->type_name("FILE");
  take_program_words(app);
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "heal",
    .summary = "run a program and keep threads out of each other's atomic sections",
    .examples = "  foretrace c++ --heal=bank.sections -O2 -o bank bank.cpp\n"
                "  foretrace heal --sections bank.sections -- ./bank\n"
                "  FORETRACE_HEAL=bank.sections ./bank                    # in production\n"
                "  foretrace heal --findings findings.json --write bank.sections\n"
                "Exit status: the program's.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
