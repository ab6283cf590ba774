// The report of the last run of lint, kept in its cache: if no summary and no option has changed
// since, it is the report of this run.
#pragma once

#include <optional>
#include <string>

#include "report/report.h"

namespace foretrace {

// What a report depends on.
struct ReportKey {
  std::string request;   // what was asked for: files, options, the current folder
  uint64_t content = 0;  // of the summaries and of the files that options name
};

std::optional<Report> kept_report(const std::string& cache, const ReportKey& key);
// That it could not be kept is no error.
void keep_report(const std::string& cache, const ReportKey& key, Report& report);

}  // namespace foretrace
