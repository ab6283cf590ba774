// A report: everything that a reporter may print. Reporters are one file each
// in this folder and register themselves with a ReporterRegistration.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/analysis.h"
#include "base/error.h"
#include "base/output.h"
#include "certify/certifier.h"
#include "findings/finding.h"
#include "report/event_table.h"
#include "report/excerpt.h"

namespace foretrace {

struct AnalysisRun {
  std::string name;
  double seconds = 0;
  uint64_t passes = 1;
  Decisions decisions;          // what became of its candidates
  std::vector<Figure> figures;  // see Analysis::figures()
};

// A finding that the report leaves out, for formats that show those too.
struct LeftOut {
  enum class Why { suppressed, known, absent };  // absent: only the baseline has it
  Finding finding;
  Why why = Why::suppressed;
  std::string rule;  // the suppression's text
};

struct Report {
  std::string source;
  std::string trace_file;  // where the trace is, if that is known to be a file
  uint64_t events = 0;
  uint64_t threads = 0;
  uint64_t locations = 0;
  uint64_t locks = 0;
  uint64_t lines = 0;  // of source, if it was read instead of a trace
  std::vector<AnalysisRun> analyses;
  std::vector<Finding> findings;
  std::vector<Excerpt> excerpts;  // of the first findings, for those who want them
  EventTable event_table;         // likewise
  double deciding_seconds = 0;    // spent on looking for schedules
  bool partial = false;           // the user stopped it
  uint64_t suppressed = 0;        // findings left out by suppressions,
  uint64_t built_in = 0;          // by those that everybody has,
  uint64_t known = 0;             // by the baseline,
  uint64_t too_weak = 0;          // and by --strength
  std::vector<LeftOut> left_out;  // those that were suppressed or are in the baseline
  bool has_baseline = false;
};

struct ReportStyle {
  bool colour = false;  // for a terminal
};

struct Reporter {
  std::string_view name;  // for --format
  std::string_view summary;
  bool wants_excerpts = false;
  bool wants_events = false;
  std::string_view missing = {};  // why it cannot be used in this program, if it cannot
  void (*write)(const Report& report, const ReportStyle& style, ByteSink& sink);
};

// A static object of this type in a reporter's file makes the reporter known.
struct ReporterRegistration {
  explicit ReporterRegistration(const Reporter& reporter);
};

// All reporters, by name.
const std::vector<Reporter>& reporters();
Result<const Reporter*> reporter_named(std::string_view name);

}  // namespace foretrace
