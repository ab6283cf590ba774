// foretrace lint: errors that can be seen in the source, without running it.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/input.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/given_options.h"
#include "cli/kept_report.h"
#include "cli/library_folder.h"
#include "cli/options.h"
#include "cli/report_output.h"
#include "lint/analysis.h"
#include "lint/commands.h"
#include "lint/digest.h"
#include "lint/dump.h"
#include "lint/program.h"
#include "lint/units.h"

namespace foretrace {
namespace {

struct Options {
  std::vector<std::string> files;  // or the words of a compiler's command
  std::string database;
  bool no_cache = false;
  bool list_rules = false;
  bool show = false;
  bool all_pairs = false;
  unsigned jobs = 0;
  lint::LintOptions lint;
  OutputOptions output;
};

Result<std::vector<lint::CompileCommand>> commands(const Options& options) {
  std::error_code error;
  // What follows -- begins with a compiler.
  if (!options.files.empty() && !lint::is_source(options.files[0])) {
    return lint::commands_of(options.files, std::filesystem::current_path(error).string());
  }
  if (!options.database.empty()) {
    return lint::read_compile_commands(options.database, options.files);
  }
  if (!options.files.empty()) return lint::commands_for(options.files);
  for (const char* folder : {".", "build"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / "compile_commands.json", error)) {
      return lint::read_compile_commands(folder, {});
    }
  }
  return fail(
      "there is nothing to look at: name source files, a folder with a compile_commands.json "
      "(-p build), or a compiler's command (-- g++ -c x.cpp)");
}

Result<std::string> worker(const std::filesystem::path& libraries) {
  const std::filesystem::path program = libraries / "foretrace-lint-unit";
  std::error_code error;
  if (std::filesystem::exists(program, error)) return program.string();
  return fail("{} is not there: install libclang-22-dev and build Foretrace again",
              program.string());
}

// All rules of all analyses; an unknown name in --rules is an error.
Result<std::vector<lint::LintRule>> checked_rules(const lint::LintOptions& options) {
  std::vector<lint::LintRule> all;
  std::vector<std::string> names{"all"};
  for (const lint::LintAnalysis& analysis : lint::lint_analyses()) {
    const Result<std::vector<lint::LintRule>> rules = analysis.rules(options);
    if (!rules) return tl::unexpected(rules.error());
    for (const lint::LintRule& rule : *rules) {
      all.push_back(rule);
      names.push_back(rule.name);
    }
  }
  for (std::string word : options.rules) {
    if (word.starts_with('+') || word.starts_with('-')) word.erase(0, 1);
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      return fail("--rules: there is no rule '{}'{}", printable(word), did_you_mean(word, names));
    }
  }
  return all;
}

void list(const std::vector<lint::LintRule>& rules) {
  size_t width = 0;
  for (const lint::LintRule& rule : rules) width = std::max(width, rule.name.size());
  for (const lint::LintRule& rule : rules) {
    fmt::print("{}  {}{}\n", padded(rule.name, width), rule.summary,
               rule.by_default ? "" : " (off)");
  }
}

// The numbers of the report: memory that threads share, and locks.
void count(const lint::Program& program, Report& report) {
  report.threads = program.threads().size();
  std::set<lint::Name> locks;
  for (const lint::Summary& summary : program.summaries()) {
    for (const lint::Function& function : summary.functions) {
      for (const lint::Block& block : function.blocks) {
        for (const lint::Op& op : block.ops) {
          const lint::Acquire* acquire = op.as<lint::Acquire>();
          if (acquire == nullptr) continue;
          const lint::Path& lock = acquire->lock;
          locks.insert(lock.steps.empty() ? lock.name : lock.steps.back().name);
        }
      }
    }
  }
  report.locks = locks.size();
  const lint::Locations& all = program.all_locations();
  for (lint::LocationId id = 0; id < all.size(); ++id)
    report.locations += program.shared(id) ? 1 : 0;
}

Result<Report> analyse(const lint::Program& program, const lint::LintOptions& options) {
  Report report;
  std::vector<lint::LintFinding> all;
  for (const lint::LintAnalysis& analysis : lint::lint_analyses()) {
    const auto start = std::chrono::steady_clock::now();
    Result<std::vector<lint::LintFinding>> found = analysis.run(program, options);
    if (!found) return tl::unexpected(found.error());
    std::move(found->begin(), found->end(), std::back_inserter(all));
    AnalysisRun& run = report.analyses.emplace_back();
    run.name = analysis.name;
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  report.suppressed = lint::drop_ignored(program, all);
  report.too_weak = lint::drop_unsure(options, all);
  lint::assign_ids(all);
  report.findings = lint::digest(program, std::move(all), options.fold_above);
  count(program, report);
  return report;
}

// What the report depends on: which files and options, this program, and what they contain.
ReportKey key_of(const lint::Units& units, const lint::LintOptions& options) {
  ReportKey key;
  key.content = units.hash;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  key.request =
      fmt::format("{} {} {}\n", std::filesystem::current_path(error).string(),
                  std::filesystem::file_size(self, error),
                  std::filesystem::last_write_time(self, error).time_since_epoch().count());
  for (const auto* words : {&units.files, &options.rules, &options.patterns}) {
    for (const std::string& word : *words) key.request += word + '\n';
    key.request += '\n';
  }
  key.request += fmt::format("{} {}\n", options.confidence, options.fold_above);
  if (!options.models.empty()) {
    const Result<std::string> models = read_input(options.models);
    key.request += models ? *models : "";
  }
  return key;
}

Result<Report> report_of(const lint::Units& units, const Options& options,
                         const std::string& cache) {
  // A file of sections is written anew.
  const bool keeps = !cache.empty() && options.lint.sections.empty();
  const ReportKey key = key_of(units, options.lint);
  if (keeps) {
    if (std::optional<Report> kept = kept_report(cache, key)) return std::move(*kept);
  }
  Result<std::vector<lint::Summary>> summaries = lint::read_summaries(units);
  if (!summaries) return tl::unexpected(summaries.error());
  const lint::Program program(std::move(*summaries));
  Result<Report> report = analyse(program, options.lint);
  if (!report) return report;
  report->lines = std::max<uint64_t>(units.lines, 1);
  if (keeps) keep_report(cache, key, *report);
  return report;
}

Result<int> show(const lint::Units& units) {
  const Result<std::vector<lint::Summary>> summaries = lint::read_summaries(units);
  if (!summaries) return tl::unexpected(summaries.error());
  for (const lint::Summary& summary : *summaries) {
    for (const lint::Function& function : summary.functions) {
      fmt::print("{}", lint::to_text(function));
    }
  }
  return kExitClean;
}

Result<int> run(CLI::App& app, Options& options) {
  if (Result<void> done = apply_file_options(app); !done) return tl::unexpected(done.error());
  if (options.all_pairs) options.lint.fold_above = SIZE_MAX;
  const Result<std::vector<lint::LintRule>> rules = checked_rules(options.lint);
  if (!rules) return tl::unexpected(rules.error());
  if (options.list_rules) {
    list(*rules);
    return kExitClean;
  }
  Result<ReportOutput> output = ReportOutput::prepare(options.output);
  if (!output) return tl::unexpected(output.error());
  Result<std::vector<lint::CompileCommand>> all = commands(options);
  if (!all) return tl::unexpected(all.error());
  const Result<std::filesystem::path> libraries = library_folder();
  if (!libraries) return tl::unexpected(libraries.error());
  const Result<std::string> unit = worker(*libraries);
  if (!unit) return tl::unexpected(unit.error());
  for (lint::CompileCommand& command : *all) {
    command.words.insert(command.words.end(), {"-idirafter", include_folder(*libraries).string()});
  }
  lint::UnitOptions unit_options;
  unit_options.worker = *unit;
  unit_options.cache = options.no_cache ? "" : lint::default_cache();
  unit_options.jobs = options.jobs > 0 ? options.jobs : std::thread::hardware_concurrency();
  catch_interrupt();
  Result<lint::Units> units = lint::summarise_units(*all, unit_options);
  // Nothing half done is left behind: Ctrl-C may end it as it ends any program.
  std::signal(SIGINT, SIG_DFL);
  if (interrupted()) {
    units = lint::Units();
    std::raise(SIGINT);
  }
  if (!units) return tl::unexpected(units.error());
  for (const std::string& problem : units->problems) fmt::print(stderr, "{}\n", problem);
  if (units->files.empty()) return fail("none of the files could be looked at");
  if (options.show) return show(*units);
  Result<Report> report = report_of(*units, options, unit_options.cache);
  if (!report) return tl::unexpected(report.error());
  report->source = all->size() == 1 ? all->front().file : counted(all->size(), "source file");
  const auto no_trace = []() -> Result<std::unique_ptr<TraceStream>> { return nullptr; };
  if (Result<void> done = output->write(*report, no_trace); !done) {
    return tl::unexpected(done.error());
  }
  if (units->failed > 0) {
    fmt::print(stderr,
               "foretrace: {} did not compile; what is above says why, and the findings are those "
               "of the rest\n",
               counted(units->failed, "file"));
    return kExitBadInput;
  }
  return output->fails(*report) ? kExitFindings : kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("FILES", options->files, "Source files; with -p only these of the project");
  app.add_option("-p,--project", options->database,
                 "A compile_commands.json or the folder that it is in")
      ->type_name("PATH");
  app.add_option("--rules", options->lint.rules,
                 "Rules to look for, separated by commas; +NAME and -NAME change the default")
      ->delimiter(',')
      ->allow_extra_args(false)  // the next word is a file
      ->type_name("NAMES");
  app.add_flag("--list-rules", options->list_rules, "Say which rules there are");
  app.add_option("--pattern", options->lint.patterns,
                 "A pattern of your own: \"lost-update = R(a) [w(a)] W(a)\"; may be repeated")
      ->take_all()
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  add_choice(app, "--confidence", options->lint.confidence, {"low", "normal", "high"},
             "Report only findings that are at least this sure");
  app.add_option("--fold-above", options->lint.fold_above,
                 "With more findings than N, fold those of one variable into the worst of them "
                 "(default: 100)")
      ->type_name("N");
  app.add_flag("--all-pairs", options->all_pairs, "Fold nothing: report every finding");
  app.add_option("--models", options->lint.models, "A file that says what library calls do")
      ->type_name("FILE");
  app.add_option("--sections", options->lint.sections,
                 "Write sections that should be atomic to FILE, for the runtime")
      ->type_name("FILE");
  app.add_option("-j,--jobs", options->jobs,
                 "Files that are read at the same time (default: cores)")
      ->type_name("N");
  app.add_flag("--no-cache", options->no_cache, "Read every file again");
  app.add_flag("--show-summaries", options->show, "Print what was read, instead of findings");
  add_output_options(app, options->output);
  return [options, &app] { return run(app, *options); };
}

const CommandRegistration registration({
    .name = "lint",
    .summary = "find races and wrongly split atomic blocks in the source, without running it",
    .examples =
        "  foretrace lint bank.cpp\n"
        "  foretrace lint -p build\n"
        "  foretrace lint -p build --format sarif -o lint.sarif --baseline old.json\n"
        "  foretrace lint -- g++ -std=c++17 -Iinclude -c src/bank.cpp\n"
        "  foretrace lint -p build --rules -data-race,+view-consistency\n"
        "Options can also be in foretrace.toml, under [lint].\n"
        "A comment // foretrace: ignore(RULE) leaves out findings that touch its line.\n"
        "Exit status: 0 no findings, 1 findings, 2 bad command line or input, or a file that\n"
        "does not compile (the others are looked at all the same), 3 our fault.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
