#include "hunting/oracle.h"

namespace foretrace {

Result<bool> is_good_run(const SteeredRun& run, const std::string& oracle) {
  if (oracle.empty() || run.result.end == RunResult::End::timed_out) return run.result.good();
  const bool was_killed = run.result.end == RunResult::End::killed_by_signal;
  RunRequest request;
  request.words = {"/bin/sh", "-c", oracle};
  request.environment = {{"FORETRACE_STATUS",
                          std::to_string(was_killed ? 128 + run.result.status : run.result.status)},
                         {"FORETRACE_STDOUT", run.output_path},
                         {"FORETRACE_STDERR", run.errors_path}};
  request.output = "/dev/null";
  request.errors = "/dev/null";
  const Result<RunResult> judged = run_supervised(request);
  if (!judged) return tl::unexpected(judged.error());
  return judged->good();
}

}  // namespace foretrace
