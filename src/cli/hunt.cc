// foretrace hunt: runs a program again and again with changing noise, until its
// errors show.
#include "hunting/hunt.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/report_output.h"
#include "cli/steering_options.h"
#include "cli/table.h"

namespace foretrace {
namespace {

struct Options {
  ProgramOptions program;
  OutputOptions output;
  uint64_t runs = 100;
  double minutes = 0;
  uint64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  uint64_t seed = 1;
  std::string noise = "mixed";
  std::string manner = "sleep";
  uint64_t strength = 1000;
  uint64_t frequency = 150;
  uint64_t hold = 100;
  bool shared_only = false;
  std::string findings;
  std::string oracle;
  std::string keep = "foretrace-hunt";
  bool first = false;
  std::string sections;
  std::string again;
  bool gdb = false;
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

std::string rate(uint64_t count, uint64_t runs) {
  return fmt::format("{:.2f}", static_cast<double>(count) / static_cast<double>(runs));
}

// The paper's Table 2, a row for each setting.
std::string table_of(const std::vector<SettingResult>& settings) {
  Table table({{"noise"},
               {"runs", true},
               {"races a run", true},
               {"locations a run", true},
               {"new", true},
               {"failed", true},
               {"s a run", true}});
  for (const SettingResult& row : settings) {
    table.add({row.setting.name(), with_commas(row.runs), rate(row.races, row.runs),
               rate(row.locations, row.runs), with_commas(row.fresh), with_commas(row.failed),
               fmt::format("{:.2f}", row.seconds / static_cast<double>(row.runs))});
  }
  return table.text();
}

std::vector<Figure> figures_of(const std::vector<SettingResult>& settings) {
  std::vector<Figure> figures;
  for (const SettingResult& row : settings) {
    figures.push_back({row.setting.name(),
                       {{"runs", row.runs},
                        {"races", row.races},
                        {"locations", row.locations},
                        {"new", row.fresh},
                        {"failed", row.failed},
                        {"seconds", row.seconds}},
                       ""});
  }
  return figures;
}

class HuntCommand {
 public:
  HuntCommand(const CLI::App& app, const Options& options) : app_(app), options_(options) {}

  Result<int> run() {
    Result<SteeredProgram> program = steered_program(app_, options_.program);
    if (!program) return tl::unexpected(program.error());
    if (!options_.again.empty()) return run_again(*program, settings_file(), options_.gdb);
    if (options_.gdb) return fail("--gdb goes with --again: a run that is repeated under gdb");
    Result<ReportOutput> output = ReportOutput::prepare(options_.output);
    if (!output) return tl::unexpected(output.error());
    KnownFindings known;
    if (!options_.findings.empty()) {
      Result<KnownFindings> read = read_known_findings(options_.findings);
      if (!read) return tl::unexpected(read.error());
      known = std::move(*read);
      if (known.all().empty()) {
        say(fmt::format("{} has no races or deadlocks to look for", options_.findings));
      }
    }
    HuntOptions wanted = hunt_options(*program);
    if (!options_.sections.empty()) {
      Result<std::vector<AtomicSection>> sections = read_sections(options_.sections);
      if (!sections) return tl::unexpected(sections.error());
      wanted.sections = std::move(*sections);
    }
    catch_interrupt();
    Hunt hunt(std::move(wanted), std::move(known), say);
    Result<HuntResult> result = hunt.run();
    if (!result) return tl::unexpected(result.error());
    if (result->runs > 0 && !result->instrumented && result->failed.empty()) {
      return fail("{}", not_instrumented(program->words.front()));
    }
    return report(hunt, *result, *output, program->words);
  }

 private:
  std::string settings_file() const {
    const std::filesystem::path given = options_.again;
    return std::filesystem::is_directory(given) ? (given / "settings.steer").string()
                                                : options_.again;
  }

  HuntOptions hunt_options(const SteeredProgram& program) const {
    HuntOptions hunt;
    hunt.program = program;
    hunt.runs = options_.minutes > 0 && app_.count("--runs") == 0 ? UINT64_MAX : options_.runs;
    hunt.minutes = options_.minutes;
    hunt.jobs = options_.jobs;
    hunt.seed = options_.seed;
    if (options_.noise != "mixed") {
      hunt.noise = NoiseSetting{options_.noise, options_.manner, options_.strength,
                                options_.frequency, options_.shared_only};
    }
    hunt.hold_ms = options_.hold;
    hunt.oracle = options_.oracle;
    hunt.keep = options_.keep;
    hunt.first = options_.first;
    return hunt;
  }

  Result<int> report(const Hunt& hunt, HuntResult& result, ReportOutput& output,
                     const std::vector<std::string>& words) {
    Report report;
    report.source = fmt::format("{} in {}", printable(words.front()), counted(result.runs, "run"));
    report.events = result.accesses;
    report.threads = result.threads;
    report.locations = result.locations;
    report.analyses.push_back({"atomrace", result.seconds, result.runs, {}, {}});
    if (options_.output.format != "text") report.analyses[0].figures = figures_of(result.settings);
    report.findings = std::move(result.findings);
    report.partial = result.stopped == "interrupted";
    const auto no_trace = []() -> Result<std::unique_ptr<TraceStream>> { return nullptr; };
    if (Result<void> done = output.write(report, no_trace); !done) {
      return tl::unexpected(done.error());
    }
    fmt::print(stderr, "{}", table_of(result.settings));
    say_the_rest(hunt, result, words);
    return output.fails(report) || !result.failed.empty() ? kExitFindings : kExitClean;
  }

  void say_the_rest(const Hunt& hunt, const HuntResult& result,
                    const std::vector<std::string>& words) const {
    if (!result.stopped.empty()) say("stopped early: " + result.stopped);
    for (size_t i = 0; i < hunt.known().all().size(); ++i) {
      const Finding& known = hunt.known().all()[i];
      if (!hunt.known().is_observed(i)) {
        say(fmt::format("{} ({} on {}) was not observed", known.id, known.kind,
                        known.variable.value_or(known.lock.value_or("?"))));
      }
    }
    if (result.left_behind > 0) {
      say(fmt::format("in {} the program left processes behind, which were ended",
                      counted(result.left_behind, "run")));
    }
    if (result.noise_spent > 0) {
      say(fmt::format("in {} a thread had used up its time for noise (one second) before its end",
                      counted(result.noise_spent, "run")));
    }
    if (result.unwatched + result.lost > 0) {
      say(fmt::format("{} and {} found no place in the runtime's tables",
                      counted(result.unwatched, "thread"), counted(result.lost, "report")));
    }
    if (result.failed.empty()) return;
    say(fmt::format("{} of {} failed or hung; the first again:", result.failed.size(),
                    counted(result.runs, "run")));
    if (result.failed.front().folder.empty()) return;
    std::vector<std::string> command = {"foretrace", "hunt", "--again",
                                        result.failed.front().folder, "--"};
    command.insert(command.end(), words.begin(), words.end());
    fmt::print(stderr, "  {}\n", shell_line(command));
  }

  const CLI::App& app_;
  const Options& options_;
};

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_count(app, "--runs", options->runs, "How often the program is run");
  app.add_option("--minutes", options->minutes, "Go on for so long instead")
      ->type_name("MINUTES")
      ->check(CLI::PositiveNumber);
  app.add_option("--jobs", options->jobs, "Runs at a time (default: one for each core)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  add_count(app, "--seed", options->seed, "Of the first run; each run has the next one");
  add_choice(app, "--noise", options->noise,
             {"mixed", "none", "random", "variable", "location", "directed", "priority"},
             "Where noise is made; mixed: all of them, what pays off more often");
  add_choice(app, "--noise-manner", options->manner, {"sleep", "yield", "spin"},
             "How noise is made");
  add_count(app, "--noise-strength", options->strength, "How long noise is, in microseconds");
  add_count(app, "--noise-frequency", options->frequency, "How often noise is made, in per mille");
  add_count(app, "--hold", options->hold,
            "How long a thread is held for another one, in milliseconds");
  app.add_flag("--shared-only", options->shared_only,
               "Noise only at memory that two threads have been seen at");
  app.add_option("--findings", options->findings,
                 "Look for what this JSON report of 'foretrace run' has, and stop when all of it "
                 "was observed")
      ->type_name("FILE");
  app.add_option("--sections", options->sections, "Check these atomic sections too")
      ->type_name("FILE");
  app.add_option("--oracle", options->oracle,
                 "A shell command that says whether a run was good (its status is 0); it has "
                 "FORETRACE_STATUS, FORETRACE_STDOUT and FORETRACE_STDERR (default: the program's "
                 "exit status is 0)")
      ->type_name("COMMAND");
  app.add_option("--keep", options->keep, "Where runs that fail or hang are kept")
      ->type_name("FOLDER")
      ->capture_default_str();
  app.add_flag("--first", options->first, "Stop at the first finding or failed run");
  app.add_option("--again", options->again, "Run once more what was kept in this folder")
      ->type_name("FOLDER")
      ->check(CLI::ExistingPath);
  app.add_flag("--gdb", options->gdb, "With --again: under gdb");
  add_program_options(app, options->program);
  add_output_options(app, options->output);
  take_program_words(app);
  return [options, &app] { return HuntCommand(app, *options).run(); };
}

const CommandRegistration registration({
    .name = "hunt",
    .summary = "run a program again and again with noise, until its errors show",
    .examples =
        "  foretrace hunt -- ./bank 1000\n"
        "  foretrace hunt --minutes 10 --oracle './check.sh' -- ./bank\n"
        "  foretrace run --format json -o findings.json -- ./bank\n"
        "  foretrace hunt --findings findings.json -- ./bank\n"
        "  foretrace hunt --again foretrace-hunt/run-0017 --gdb -- ./bank\n"
        "Exit status: 0 nothing found, 1 findings or failed runs, 2 bad command line or input.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
