#include "hunting/steered_run.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "base/folders.h"
#include "base/output.h"
#include "steering/layout.h"

namespace foretrace {
namespace {

constexpr const char* kPrefix = "foretrace-steer-";

// The folder's name has the number of the process that made it.
bool is_abandoned(const std::string& folder) {
  const char* const number = folder.c_str() + folder.rfind(kPrefix) + std::strlen(kPrefix);
  const auto pid = static_cast<pid_t>(std::strtol(number, nullptr, 10));
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

// A value in front of what the variable has already.
std::string in_front(const char* variable, const std::string& value) {
  const char* const before = std::getenv(variable);
  return before != nullptr && *before != '\0' ? value + ":" + before : value;
}

}  // namespace

Result<std::unique_ptr<RunFolder>> RunFolder::create() {
  remove_abandoned_folders(kPrefix, is_abandoned);
  Result<std::string> folder = make_shared_memory_folder(fmt::format("{}{}-", kPrefix, ::getpid()));
  if (!folder) return tl::unexpected(folder.error());
  return std::unique_ptr<RunFolder>(new RunFolder(std::move(*folder)));
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::vector<std::pair<std::string, std::string>> steering_environment(
    const std::string& libraries, const std::string& settings_path) {
  return {{steering::kSettingsVariable, settings_path},
          {"LD_PRELOAD", in_front("LD_PRELOAD", libraries + "/libforetrace_steer.so")},
          {"LD_LIBRARY_PATH", in_front("LD_LIBRARY_PATH", libraries + "/tsan")}};
}

Result<void> write_text(const std::string& path, std::string_view text) {
  Result<std::unique_ptr<ByteSink>> sink = open_output(path);
  if (!sink) return tl::unexpected(sink.error());
  (*sink)->write(text);
  return (*sink)->close();
}

Result<SteeredRun> run_steered(const SteeredProgram& program, const SteerSettings& settings,
                               const RunFolder& folder, const std::string& name) {
  SteeredRun run;
  run.settings_path = folder.path(name + ".steer");
  run.output_path = folder.path(name + ".out");
  run.errors_path = folder.path(name + ".err");
  const std::string report = folder.path(name + ".report");
  if (Result<void> done = make_report_file(report); !done) return tl::unexpected(done.error());
  if (Result<void> done = write_text(run.settings_path, settings.text(report)); !done) {
    return tl::unexpected(done.error());
  }
  Result<RunResult> result = run_supervised({
      .words = program.words,
      .environment = steering_environment(program.libraries, run.settings_path),
      .input = program.input,
      .output = program.shows_output ? "" : run.output_path,
      .errors = program.shows_output ? "" : run.errors_path,
      .seconds = program.seconds,
  });
  if (!result) return tl::unexpected(result.error());
  run.result = *result;
  Result<SteeredReport> read = read_report_file(report);
  std::error_code ignored;
  std::filesystem::remove(report, ignored);
  if (!read) return tl::unexpected(read.error());
  run.report = std::move(*read);
  return run;
}

}  // namespace foretrace
