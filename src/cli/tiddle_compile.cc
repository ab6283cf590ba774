// foretrace tiddle compile: a program that does what a trace says.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/output.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/equivalents_options.h"
#include "cli/options.h"
#include "cli/trace_options.h"
#include "programs/equivalents.h"
#include "programs/identifiers.h"
#include "programs/language.h"

namespace foretrace {
namespace {

struct Options {
  TraceOptions trace;
  std::string language;
  std::string schedule = "lockstep";
  std::string units = "scopes";
  std::string output = "-";
  bool log = false;
  uint64_t equivalents = 0;
  std::string order = "hb";
};

const std::vector<std::pair<std::string, programs::Schedule>> kSchedules = {
    {"lockstep", programs::Schedule::lockstep},
    {"free", programs::Schedule::free},
    {"yield", programs::Schedule::yield},
    {"sleep", programs::Schedule::sleep},
};

constexpr std::string_view kAboutLockstep = "its operations happen in exactly that order.";
constexpr std::string_view kAboutFree = "its threads do their operations in any order.";

std::vector<std::string> language_names() {
  std::vector<std::string> names;
  for (const programs::Language& language : programs::languages()) {
    names.emplace_back(language.name);
  }
  return names;
}

const programs::Language& language_named(const std::string& name) {
  return *std::find_if(programs::languages().begin(), programs::languages().end(),
                       [&](const programs::Language& language) { return language.name == name; });
}

programs::Schedule schedule_named(const std::string& name) {
  return std::find_if(kSchedules.begin(), kSchedules.end(),
                      [&](const auto& schedule) { return schedule.first == name; })
      ->second;
}

// A name for the program: that of the file, without its folder and ending.
std::string program_name(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  return programs::identifier_of(path == "-" ? "Test" : stem, "Test");
}

std::vector<std::string> about(const Options& options, const std::string& source, size_t traces) {
  const bool lockstep = options.schedule == "lockstep";
  return {traces == 1 ? fmt::format("The trace {} as a program: {}", printable(source, 200),
                                    lockstep ? kAboutLockstep : kAboutFree)
                      : fmt::format("{} equivalent to {} as a program, one after the other.",
                                    counted(traces, "trace"), printable(source, 200)),
          fmt::format("Made by: foretrace tiddle compile --to {} --schedule {} --units {}",
                      options.language, options.schedule, options.units)};
}

Result<int> run(Options options) {
  options.trace.stream.well_formed.unnested = true;  // such locks become lock() and unlock()
  const Result<NamedTrace> read = read_trace(options.trace);
  if (!read) return tl::unexpected(read.error());
  const Trace& trace = read->trace;
  std::vector<Trace> variants;
  if (options.equivalents == 0) {
    variants.push_back(trace);
  } else {
    programs::Equivalents equivalents(trace, order_named(options.order));
    while (variants.size() < options.equivalents && equivalents.next()) {
      variants.push_back(equivalents.trace());
    }
  }
  std::vector<programs::Program> plans;
  for (const Trace& variant : variants) plans.push_back(programs::make_program(variant));

  const std::string text =
      language_named(options.language)
          .write(plans, {.schedule = schedule_named(options.schedule),
                         .unit_methods = options.units == "methods",
                         .log = options.log,
                         .name = program_name(options.output),
                         .about = about(options, read->source, variants.size())});
  Result<std::unique_ptr<ByteSink>> sink = open_output(options.output);
  if (!sink) return tl::unexpected(sink.error());
  (*sink)->write(text);
  if (Result<void> done = (*sink)->close(); !done) return tl::unexpected(done.error());
  return kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  add_choice(app, "--to", options->language, language_names(), "The language of the program")
      ->required();
  std::vector<std::string> schedules;
  for (const auto& [name, unused] : kSchedules) schedules.push_back(name);
  add_choice(app, "--schedule", options->schedule, schedules,
             "Force exactly the order of the trace (lockstep), or leave it to the system (free), "
             "with yields or sleeps between operations");
  add_choice(app, "--units", options->units, {"scopes", "methods"},
             "Whether units become annotated blocks or methods of their own");
  add_count(app, "--equivalents", options->equivalents,
            "Put this many traces that are equivalent into one program; 0 is the trace alone");
  add_order_option(app, options->order);
  app.add_flag("--log", options->log,
               "The program prints its operations, in Tiddle, each when its turn has come");
  app.add_option("-o,--output", options->output, "The file to write; - is standard output")
      ->type_name("FILE");
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "tiddle compile",
    .summary = "write a program that does what a trace says, in C++ or Java",
    .examples = "  foretrace tiddle compile race.tiddle --to c++ -o race.cpp\n"
                "  foretrace tiddle compile race.tiddle --to java --schedule free -o Race.java\n"
                "  foretrace tiddle compile race.tiddle --to c++ --equivalents 20 -o many.cpp",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
