// foretrace reproduce: forces the schedule of a finding on the real program.
#include "hunting/reproduce.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/input.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/program_words.h"
#include "cli/report_output.h"
#include "cli/steering_options.h"
#include "cli/trace_options.h"
#include "findings/finding_json.h"
#include "findings/schedule.h"

namespace foretrace {
namespace {

struct Options {
  ProgramOptions program;
  OutputOptions output;
  std::string id;
  std::string findings;
  std::string trace;
  uint64_t tries = 20;
  uint64_t seed = 1;
  uint64_t hold = 200;
  std::string keep = "foretrace-reproduce";
  std::string again;
  bool gdb = false;
};

void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

// How often the program is recorded to see the finding.
constexpr int kRecordings = 5;

// Hooks of atomic operations are behind them: when two threads meet there, the one may have
// heard of the other by it.
bool is_with_atomic_operation(const Finding& finding) {
  return finding.kind == "data-race" &&
         std::any_of(finding.events.begin(), finding.events.end(),
                     [](const FindingEvent& event) { return is_atomic(event.op); });
}

class Reproduce {
 public:
  Reproduce(const CLI::App& app, const Options& options) : app_(app), options_(options) {}

  Result<int> run() {
    Result<SteeredProgram> program = steered_program(app_, options_.program);
    if (!program) return tl::unexpected(program.error());
    program_ = std::move(*program);
    if (!options_.again.empty()) return run_again(program_, options_.again, options_.gdb);
    if (options_.gdb) return fail("--gdb goes with --again: a run that is repeated under gdb");
    Result<ReportOutput> output = ReportOutput::prepare(options_.output);
    if (!output) return tl::unexpected(output.error());
    catch_interrupt();
    if (Result<void> done = find(); !done) return tl::unexpected(done.error());
    if (is_with_atomic_operation(finding_)) {
      return fail(
          "{} is a race with an atomic operation: no thread can be held in front of one, so it "
          "cannot be made to happen; its schedule, from 'foretrace run', shows it",
          finding_.id);
    }
    Reproduction reproduction({program_, options_.tries, options_.seed, options_.hold}, finding_,
                              trace_);
    Result<ReproduceResult> result = reproduction.run();
    if (!result) return tl::unexpected(result.error());
    return report(*result, *output);
  }

 private:
  // The finding, and the trace that its witness is about.
  Result<void> find() {
    if (!options_.findings.empty()) {
      const Result<bool> there = read_finding(options_.findings);
      if (!there) return tl::unexpected(there.error());
      if (!*there) {
        return fail("{} does not have the finding {}", options_.findings, printable(options_.id));
      }
      if (!options_.trace.empty()) return read_its_trace(options_.trace);
    } else if (!options_.trace.empty()) {
      return fail("--trace goes with --findings: the report about that trace");
    }
    return record();
  }

  Result<bool> read_finding(const std::string& path) {
    const Result<nlohmann::ordered_json> report = read_report_json(path, "a file of findings");
    if (!report) return tl::unexpected(report.error());
    for (const auto& json : (*report)["findings"]) {
      if (json["id"] != options_.id) continue;
      Result<Finding> finding = finding_from_json(json);
      if (!finding) return fail("{}: {}", path, finding.error().message);
      finding_ = std::move(*finding);
      return true;
    }
    return false;
  }

  // A recording has more events than its report counts, if the analyses could do without
  // some: it is read the way in which the finding's events are where it says.
  Result<void> read_its_trace(const std::string& path) {
    TraceOptions options;
    options.path = path;
    options.stream.well_formed.unnested = true;
    for (const bool leave_out : {true, false}) {
      options.stream.leave_out_ordered_accesses = leave_out;
      Result<NamedTrace> read = read_trace(options);
      if (!read) return tl::unexpected(read.error());
      trace_ = std::move(read->trace);
      if (is_about(finding_, trace_)) return {};
    }
    return fail("{} is not the trace that {} was found in", printable(path), finding_.id);
  }

  // Ids are the same in every run that has the error.
  Result<void> record() {
    const std::optional<FindingId> id = parse_id(options_.id);
    if (!id) {
      return fail("'{}' is not the id of a finding; 'foretrace run' prints them",
                  printable(options_.id));
    }
    Result<std::unique_ptr<RunFolder>> folder = RunFolder::create();
    if (!folder) return tl::unexpected(folder.error());
    // What AtomRace has observed was predicted by nobody: the places are enough.
    const bool can_be_recorded = id->analysis != "atomrace";
    for (int i = 0; i < kRecordings && can_be_recorded && !interrupted(); ++i) {
      const Result<bool> there = record_once(id->analysis, **folder);
      if (!there && finding_.id.empty()) return tl::unexpected(there.error());
      if (!there) {
        say(there.error().message);
        break;
      }
      if (*there) return read_its_trace((*folder)->path("run.ftr"));
    }
    if (!finding_.id.empty()) {
      say("the program was not recorded with this finding again: its places are all there is to "
          "go by");
      return {};
    }
    return fail(
        "{} did not come up in {} recordings of {}; --findings FILE names the report that has it",
        options_.id, can_be_recorded ? kRecordings : 0, printable(program_.words.front()));
  }

  Result<bool> record_once(const std::string& analysis, const RunFolder& folder) {
    const std::string report = folder.path("run.json");
    std::error_code ignored;
    std::filesystem::remove(report, ignored);
    RunRequest request;
    request.words = {"/proc/self/exe", "run",     "--analysis", analysis, "--format",
                     "json",           "-o",      report,       "--keep", folder.path("run.ftr"),
                     "--exit",         "program", "--"};
    request.words.insert(request.words.end(), program_.words.begin(), program_.words.end());
    request.input = program_.input;
    request.output = "/dev/null";
    request.errors = folder.path("run.err");
    request.seconds = program_.seconds;
    const Result<RunResult> result = run_supervised(request);
    if (!result) return tl::unexpected(result.error());
    if (!std::filesystem::exists(report)) {
      const Result<std::string> errors = read_input(request.errors);
      return fail("the program could not be recorded ({}): {}", result->text(),
                  errors ? printable(*errors, 300) : "");
    }
    return read_finding(report);
  }

  Result<int> report(const ReproduceResult& result, ReportOutput& output) {
    if (!result.observed) {
      say(fmt::format("{} was not observed in {}: {}", options_.id, counted(result.tries, "run"),
                      result.why_not));
      return kExitFindings;
    }
    Report report;
    report.source = printable(program_.words.front());
    report.threads = 2;
    report.locations = 1;
    report.analyses.push_back({result.finding.analysis, 0, result.tries, {}, {}});
    report.findings.push_back(result.finding);
    report.findings.back().detail["observed"] = {{"run", result.tries}, {"by", result.how}};
    const auto no_trace = []() -> Result<std::unique_ptr<TraceStream>> { return nullptr; };
    if (Result<void> done = output.write(report, no_trace); !done) {
      return tl::unexpected(done.error());
    }
    say(fmt::format("{} was observed in run {}, by {}; the program: {}", options_.id, result.tries,
                    result.how, result.program_end));
    say_how_to_repeat(result.settings);
    return kExitClean;
  }

  void say_how_to_repeat(const SteerSettings& settings) const {
    std::error_code error;
    std::filesystem::create_directories(options_.keep, error);
    const std::string file =
        (std::filesystem::path(options_.keep) / (options_.id + ".steer")).string();
    if (error || !write_text(file, settings.text(""))) {
      say(fmt::format("its settings could not be kept in {}", options_.keep));
      return;
    }
    std::vector<std::string> words = {"foretrace", "reproduce", options_.id, "--again", file, "--"};
    words.insert(words.end(), program_.words.begin(), program_.words.end());
    say("the same run again, and with --gdb under gdb:");
    fmt::print(stderr, "  {}\n", shell_line(words));
  }

  const CLI::App& app_;
  const Options& options_;
  SteeredProgram program_;
  Finding finding_;
  Trace trace_;
};

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("ID", options->id, "The finding, as 'foretrace run' names it")->required();
  app.add_option("--findings", options->findings,
                 "The JSON report that has it (default: the program is recorded first)")
      ->type_name("FILE");
  app.add_option("--trace", options->trace,
                 "The trace of that report, as 'foretrace run --keep' wrote it")
      ->type_name("FILE");
  add_count(app, "--tries", options->tries,
            "How often it is tried, each time a little differently");
  add_count(app, "--seed", options->seed, "Of the first try");
  add_count(app, "--hold", options->hold,
            "How long a thread is held for its turn, in milliseconds");
  app.add_option("--keep", options->keep, "Where the settings of the run that shows it are kept")
      ->type_name("FOLDER")
      ->capture_default_str();
  app.add_option("--again", options->again, "Run once more with the settings in this file")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  app.add_flag("--gdb", options->gdb, "With --again: under gdb");
  add_program_options(app, options->program);
  add_output_options(app, options->output);
  take_program_words(app);
  return [options, &app] { return Reproduce(app, *options).run(); };
}

const CommandRegistration registration({
    .name = "reproduce",
    .summary = "force the schedule of a finding on the program, so that the error happens",
    .examples =
        "  foretrace run -- ./bank                              # prints ids\n"
        "  foretrace reproduce race-f09477e4662239df -- ./bank\n"
        "  foretrace run --format json -o f.json --keep f.ftr -- ./bank\n"
        "  foretrace reproduce race-f09477e4662239df --findings f.json --trace f.ftr -- ./bank\n"
        "Exit status: 0 it was observed, 1 it was not, 2 bad command line or input.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
