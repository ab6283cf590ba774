// Runs analyses over a stream and has their candidates decided: what `analyze`
// does between the command line and the report.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyses/analysis.h"
#include "certify/certifier.h"
#include "report/report.h"
#include "trace/stream.h"

namespace foretrace {

class AnalysisRuns {
 public:
  // Opens the trace once more, from its start.
  using OpenAgain = std::function<Result<std::unique_ptr<TraceStream>>()>;
  // `settings` must outlive this. Where the trace can be read again, it is kept in memory only
  // if an analysis needs that: most runs have nothing to decide. Else `open_again` is null.
  AnalysisRuns(std::unique_ptr<TraceStream> stream, const std::vector<const AnalysisInfo*>& chosen,
               const AnalysisSettings& settings, OpenAgain open_again);

  // Sees the whole trace, or stops when interrupted.
  Result<void> go_through();
  // Looks for schedules, each within the budget. Without this, or if the trace
  // is too long to be kept, candidates are what their analyses say.
  Result<void> decide_candidates(uint64_t budget);
  // What is to be reported; ends the run.
  Report take_report();

  // What the user should know, once the trace was seen.
  std::vector<std::string> notes() const;
  const Symbols& symbols() const { return stream_->symbols(); }
  // The trace, if it was kept; ends the run.
  Trace take_trace() { return std::move(trace_); }

 private:
  struct Running {
    AnalysisRun run;
    std::unique_ptr<Analysis> analysis;
    bool only_races = false;  // as AnalysisInfo says
    std::vector<Candidate> candidates;
  };
  void keep(const EventBatch& batch);
  Result<void> read_again();
  void make_room(size_t more);

  std::unique_ptr<TraceStream> stream_;
  const OpenAgain open_again_;
  std::deque<Running> running_;  // each works in a thread of its own
  std::vector<Candidate> candidates_;
  Trace trace_;
  bool keep_all_ = false;  // some analysis needs its candidates decided
  bool kept_ = true;       // trace_ is complete so far
  bool not_decided_ = false;
  double deciding_seconds_ = 0;
  bool partial_ = false;
};

}  // namespace foretrace
