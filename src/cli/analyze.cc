// foretrace analyze: runs analyses over a trace and reports what they find.
#include <memory>

#include <sys/stat.h>

#include "base/interrupt.h"
#include "cli/analysis_report.h"
#include "cli/command.h"
#include "cli/trace_options.h"

namespace foretrace {
namespace {

struct Options {
  TraceOptions trace;
  ReportOptions report;
};

bool is_regular_file(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

StreamOptions options_for(StreamOptions options, bool all) {
  options.leave_out_ordered_accesses = !all;
  return options;
}

Result<int> run(const TraceOptions& trace, const ReportOptions& report) {
  using Stream = Result<std::unique_ptr<TraceStream>>;
  TraceSource source = {
      .file = is_regular_file(trace.path) ? trace.path : "",
      .open = [&](bool all) -> Stream {
        Stream stream = TraceStream::open(trace.path, options_for(trace.stream, all));
        if (stream) catch_interrupt();
        return stream;
      },
      .open_again = nullptr,
  };
  if (!source.file.empty()) {
    source.open_again = [&](const Trace&, bool all) {
      return TraceStream::open(trace.path, options_for(trace.stream, all));
    };
  }
  const Result<bool> found = report_findings(source, report);
  if (!found) return tl::unexpected(found.error());
  return *found ? kExitFindings : kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  add_trace_options(app, options->trace);
  add_units_option(app, options->trace.stream);
  add_report_options(app, options->report);
  return [options] { return run(options->trace, options->report); };
}

const CommandRegistration registration({
    .name = "analyze",
    .summary = "find concurrency errors in a trace",
    .examples =
        "  foretrace analyze run.ftr\n"
        "  foretrace analyze run.std.gz --analysis hb --format json -o findings.json\n"
        "  foretrace analyze new.ftr --baseline findings.json\n"
        "  foretrace generate --events 10M --races 3 | foretrace analyze - --analysis hb\n"
        "Exit status: 0 no findings, 1 findings, 2 bad command line or input, 3 our fault.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
