// From a trace to a report: what `analyze` and `run` have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/error.h"
#include "cli/report_output.h"
#include "findings/finding.h"
#include "trace/stream.h"

namespace foretrace {

struct ReportOptions : OutputOptions {
  std::vector<std::string> analyses;
  std::string witness;
  uint64_t budget = 100'000'000;
  // Options that analyses declare: by name, what was given.
  std::map<std::string, std::string> values;
  std::map<std::string, std::string> choices;
  std::map<std::string, bool> flags;
};

// --analysis, --format, --output and the others, and those of the analyses.
void add_report_options(CLI::App& app, ReportOptions& options);

// Where the trace comes from. `all` says whether accesses that are ordered in every
// schedule are needed (StreamOptions).
struct TraceSource {
  std::string file;  // empty if it is in none
  std::function<Result<std::unique_ptr<TraceStream>>(bool all)> open;
  // Opens it once more, to decide candidates and for the pictures of the report; null where
  // it cannot be had again. `kept` is the trace if it is in memory, else it has no events.
  std::function<Result<std::unique_ptr<TraceStream>>(const Trace& kept, bool all)> open_again;
};

// Analyses, and leaves out what the options say; nothing is written.
Result<Report> find_errors(const TraceSource& source, const ReportOptions& options);

// Analyses, reports, and says whether there were findings that --fail-on counts.
Result<bool> report_findings(const TraceSource& source, const ReportOptions& options);

}  // namespace foretrace
