// foretrace report: findings that were written as JSON, in another format.
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/report_output.h"
#include "report/read_report.h"

namespace foretrace {
namespace {

struct Options {
  std::string findings;
  std::string trace;
  OutputOptions output;
};

Result<uint64_t> count_events(const std::string& path, const StreamOptions& options) {
  Result<std::unique_ptr<TraceStream>> stream = TraceStream::open(path, options);
  if (!stream) return tl::unexpected(stream.error());
  for (;;) {
    const Result<EventBatch> batch = (*stream)->next();
    if (!batch) return tl::unexpected(batch.error());
    if (batch->events.empty()) return (*stream)->event_count();
  }
}

// The trace that the findings are about, for the schedules: null if it is not
// there any more or has changed, which is said once.
class SameTrace {
 public:
  SameTrace(const Options& options, const Report& report)
      : given_(!options.trace.empty()),
        path_(given_                      ? options.trace
              : report.trace_file.empty() ? report.source
                                          : report.trace_file),
        events_(report.events) {
    stream_.well_formed.unnested = true;  // it was accepted once
  }

  Result<std::unique_ptr<TraceStream>> open() {
    if (!usable_) {
      const Result<bool> same = is_same();
      if (!same) return tl::unexpected(same.error());
      usable_ = *same;
    }
    if (!*usable_) return nullptr;
    return TraceStream::open(path_, stream_);
  }
  const std::string& path() const { return path_; }

 private:
  Result<bool> is_same() const {
    const std::string name = printable(path_, 200);
    const Result<uint64_t> count = count_events(path_, stream_);
    if (!count && given_) return tl::unexpected(count.error());
    if (!count) {
      say(fmt::format("{} cannot be read, so there are no schedules (--trace says where it is)",
                      name));
      return false;
    }
    if (*count == events_) return true;
    say(fmt::format("{} has {}, not {} as in the report, so there are no schedules", name,
                    counted(*count, "event"), with_commas(events_)));
    return false;
  }
  static void say(const std::string& text) { fmt::print(stderr, "foretrace: {}\n", text); }

  const bool given_;
  const std::string path_;
  const uint64_t events_;
  StreamOptions stream_;
  std::optional<bool> usable_;
};

Result<int> run(const Options& options) {
  Result<ReportOutput> output = ReportOutput::prepare(options.output);
  if (!output) return tl::unexpected(output.error());
  Result<Report> report = read_report(options.findings);
  if (!report) return tl::unexpected(report.error());
  SameTrace trace(options, *report);
  const auto open_trace = [&] {
    Result<std::unique_ptr<TraceStream>> stream = trace.open();
    if (stream && *stream) report->trace_file = trace.path();
    return stream;
  };
  if (Result<void> done = output->write(*report, open_trace); !done) {
    return tl::unexpected(done.error());
  }
  return output->fails(*report) ? kExitFindings : kExitClean;
}

std::function<Result<int>()> setup(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("FINDINGS", options->findings, "What --format json wrote; - is standard input")
      ->required();
  app.add_option("--trace", options->trace,
                 "The trace, for the schedules (default: where it was when it was analyzed)")
      ->type_name("FILE");
  add_output_options(app, options->output);
  return [options] { return run(*options); };
}

const CommandRegistration registration({
    .name = "report",
    .summary = "show findings that were written as JSON, in any format",
    .examples =
        "  foretrace report findings.json\n"
        "  foretrace report findings.json -o report.html\n"
        "  foretrace report findings.json --format sarif --baseline old.json -o new.sarif\n"
        "Without --format, the name of the output says the format: .html, .sarif, .md,\n"
        ".xml (JUnit), .json; else text.\n"
        "Exit status: 0 no findings, 1 findings, 2 bad command line or input, 3 our fault.\n",
    .setup = setup,
});

}  // namespace
}  // namespace foretrace
