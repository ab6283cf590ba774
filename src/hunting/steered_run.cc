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
bool is_abandoned(const std::string& name) {
  const auto pid =
      static_cast<pid_t>(std::strtol(name.c_str() + std::strlen(kPrefix), nullptr, 10));
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH;
}

void remove_abandoned() {
  for (const std::string& folder : shared_memory_folders()) {
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      std::error_code ignored;
      if (name.starts_with(kPrefix) && is_abandoned(name)) {
        std::filesystem::remove_all(entry->path(), ignored);
      }
    }
  }
}

// A value in front of what the variable has already.
std::string in_front(const char* variable, const std::string& value) {
  const char* const before = std::getenv(variable);
  return before != nullptr && *before != '\0' ? value + ":" + before : value;
}

}  // namespace

Result<std::unique_ptr<RunFolder>> RunFolder::create() {
  remove_abandoned();
  const std::string parent = shared_memory_folder();
  std::string folder = fmt::format("{}/{}{}-XXXXXX", parent, kPrefix, ::getpid());
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail("cannot make a folder in {}: {}", parent, std::strerror(errno));
  }
  return std::unique_ptr<RunFolder>(new RunFolder(std::move(folder)));
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
