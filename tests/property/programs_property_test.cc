// Programs made from random traces: they compile without a warning, and in
// lockstep they do the operations of the trace in its order.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include "formats/trace_io.h"
#include "programs/complete.h"
#include "programs/language.h"
#include "property/random_trace.h"

namespace foretrace::testing {
namespace {

using programs::Program;
using programs::ProgramOptions;
using programs::Schedule;

// A folder of its own, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "foretrace-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Ran {
  int status;
  std::string output;
};

Ran run(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  Ran ran = {-1, {}};
  std::array<char, 4096> chunk;
  while (const size_t size = std::fread(chunk.data(), 1, chunk.size(), pipe)) {
    ran.output.append(chunk.data(), size);
  }
  ran.status = ::pclose(pipe);
  return ran;
}

bool is_installed(const std::string& program) {
  return run("command -v " + program + " 2>&1").status == 0;
}

struct Sample {
  std::vector<Trace> traces;  // the programs use their symbols
  std::vector<Program> programs;
  std::string log;
};

// The same traces each time: what a compiler says must not depend on luck.
Sample sample(const RandomTraceOptions& options, size_t count) {
  Sample sample;
  // Everything that the generator can do takes its full size.
  const rc::Gen<RandomTrace> generator = random_trace(options);
  for (size_t seed = 0; seed < count; ++seed) {
    sample.traces.push_back(generator(rc::Random(seed), 100).value().trace);
  }
  for (const Trace& trace : sample.traces) {
    sample.programs.push_back(programs::make_program(trace));
    for (const programs::Action& action : sample.programs.back().actions) {
      sample.log += sample.programs.back().tiddle(action.operation) + "\n";
    }
  }
  return sample;
}

RandomTraceOptions everything() {
  RandomTraceOptions options;
  options.length = 0.6;
  options.values = options.sites = options.sets = options.reentrant = true;
  return options;
}

std::string source_of(const Sample& sample, std::string_view language, ProgramOptions options) {
  options.name = "Test";
  for (const programs::Language& known : programs::languages()) {
    if (known.name == language) return known.write(sample.programs, options);
  }
  return {};
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string compile_command(const std::string& compiler, const Folder& folder) {
  return compiler +
         " -std=c++17 -O1 -pthread -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror -I" +
         FORETRACE_SOURCE_DIR "/include -o " + folder.file("test") + " " + folder.file("test.cpp") +
         " 2>&1";
}

// Compiles and runs the sample; gives what it printed.
std::string run_cpp(const Sample& sample, const std::string& compiler,
                    const ProgramOptions& options) {
  const Folder folder;
  write_file(folder.file("test.cpp"), source_of(sample, "c++", options));
  const Ran built = run(compile_command(compiler, folder));
  EXPECT_EQ(built.status, 0) << compiler << ":\n" << built.output.substr(0, 4000);
  if (built.status != 0) return {};
  const Ran ran = run("timeout 120 " + folder.file("test") + " 2>/dev/null");
  EXPECT_EQ(ran.status, 0) << compiler << ": the program failed or did not end";
  return ran.output;
}

std::string run_java(const Sample& sample, const ProgramOptions& options) {
  const Folder folder;
  write_file(folder.file("Test.java"), source_of(sample, "java", options));
  const Ran built = run("javac -Xlint:all -Werror -d " + folder.file("") + " " +
                        folder.file("Test.java") + " 2>&1");
  EXPECT_EQ(built.status, 0) << built.output.substr(0, 4000);
  if (built.status != 0) return {};
  const Ran ran = run("timeout 120 java -ea -cp " + folder.file("") + " Test 2>/dev/null");
  EXPECT_EQ(ran.status, 0) << "the program failed or did not end";
  return ran.output;
}

TEST(Programs, LockstepInCppKeepsTheOrder) {
  for (const std::string compiler : {"g++", "clang++-22"}) {
    if (!is_installed(compiler)) continue;
    for (const bool methods : {false, true}) {
      const Sample traces = sample(everything(), 30);
      EXPECT_EQ(run_cpp(traces, compiler, {.unit_methods = methods, .log = true}), traces.log);
    }
  }
}

TEST(Programs, LockstepInJavaKeepsTheOrder) {
  if (!is_installed("javac")) GTEST_SKIP() << "there is no JDK";
  for (const bool methods : {false, true}) {
    const Sample traces = sample(everything(), 30);
    EXPECT_EQ(run_java(traces, {.unit_methods = methods, .log = true}), traces.log);
  }
}

// Traces that cannot deadlock in another order: then a free program always ends. Without
// objects: threads that free one in another order free it twice.
std::vector<RandomTraceOptions> without_deadlocks() {
  RandomTraceOptions locks;
  locks.nesting = 1;
  locks.forks = locks.barriers = false;
  locks.values = true;
  locks.objects = false;
  RandomTraceOptions forks;
  forks.locks_for_reading = forks.waits = forks.barriers = forks.objects = false;
  forks.nesting = 0;
  RandomTraceOptions barriers = forks;
  barriers.forks = false;
  barriers.barriers = true;
  return {locks, forks, barriers};
}

TEST(Programs, FreeProgramsEnd) {
  for (const Schedule schedule : {Schedule::free, Schedule::yield}) {
    for (const RandomTraceOptions& options : without_deadlocks()) {
      const Sample traces = sample(options, 30);
      run_cpp(traces, schedule == Schedule::free ? "g++" : "clang++-22", {.schedule = schedule});
      if (is_installed("javac")) run_java(traces, {.schedule = schedule});
    }
  }
}

TEST(Programs, SleepingProgramsEnd) {
  run_cpp(sample(without_deadlocks().front(), 5), "g++", {.schedule = Schedule::sleep});
}

// What was added makes the trace whole, and is all that was added.
RC_GTEST_PROP(Completion, KeepsTheTraceAndClosesIt, ()) {
  const RandomTrace random = *random_trace(everything());
  const Program program = programs::make_program(random.trace);
  std::string text;
  std::vector<std::string> events;
  for (const programs::Action& action : program.actions) {
    events.push_back(program.tiddle(action.operation));
    text += events.back() + "\n";
  }
  RC_PRE(!text.empty());
  const Result<Trace> whole = read_trace(text, "tiddle", {.unnested = true});
  if (!whole) RC_FAIL(whole.error().message + "\n" + text);

  // The events of the trace are among them, in their order.
  size_t place = 0;
  for (const Event& event : random.trace.events) {
    if (event.op() == Op::skip) continue;
    programs::Operation operation = {event.thread, event.op(), event.object,
                                     random.trace.batch().value_of(event)};
    const std::string wanted = program.tiddle(operation);
    while (place < events.size() && events[place] != wanted) ++place;
    RC_ASSERT(place < events.size());
    ++place;
  }

  // Every thread but main is forked and joined once.
  std::map<std::string, int> forks;
  std::map<std::string, int> joins;
  for (const programs::Action& action : program.actions) {
    if (action.operation.op == Op::fork) ++forks[program.threads[action.operation.object].name];
    if (action.operation.op == Op::join) ++joins[program.threads[action.operation.object].name];
  }
  RC_ASSERT(forks == joins);
  for (const auto& [thread, count] : forks) RC_ASSERT(count == 1);
}

}  // namespace
}  // namespace foretrace::testing
