// A run of a program with the steering runtime, and what it told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "hunting/steer_settings.h"
#include "hunting/steered_report.h"
#include "hunting/supervised_run.h"

namespace foretrace {

// A folder for files of runs, which is removed at the end; what killed ones left
// is removed when one is made.
class RunFolder {
 public:
  static Result<std::unique_ptr<RunFolder>> create();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  explicit RunFolder(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

// The variables that put the steering runtime in front of the program.
// `libraries` is the folder that it is in.
std::vector<std::pair<std::string, std::string>> steering_environment(
    const std::string& libraries, const std::string& settings_path);

struct SteeredRun {
  RunResult result;
  SteeredReport report;
  std::string settings_path;
  std::string output_path;
  std::string errors_path;
};

struct SteeredProgram {
  std::vector<std::string> words;
  std::string libraries;
  std::string input = "/dev/null";
  double seconds = 60;
  bool shows_output = false;  // ours, not files
};

// `name` tells the run's files apart. `code` resolves addresses, and is used by one
// run at a time.
Result<SteeredRun> run_steered(const SteeredProgram& program, const SteerSettings& settings,
                               const RunFolder& folder, const std::string& name);

Result<void> write_text(const std::string& path, std::string_view text);

}  // namespace foretrace
