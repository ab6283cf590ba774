// Makes a trace small without losing a finding.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "reduce/oracle.h"
#include "reduce/subtrace.h"
#include "trace/stream.h"

namespace foretrace {

// First a slice: the last events before those of the finding, as many as it
// takes. Then delta debugging: threads, critical sections with what is in them,
// pairs of acquire and release or begin and end, and single events are left out,
// many at a time and then one by one, as long as the trace has the finding with
// the same strength. In the end no event can be left out (with those that
// cannot be without it).
class Reducer {
 public:
  struct Options {
    WellFormedOptions well_formed;
    // Called with the number of events left; false stops.
    std::function<bool(size_t)> progress = [](size_t) { return true; };
  };

  // The trace has the finding. All must outlive this.
  Reducer(const Trace& trace, const Finding& finding, const FindingOracle& oracle, Options options);

  Trace run();
  // Stopped before it was done: the trace has the finding but is not minimal.
  bool stopped() const { return stopped_; }

 private:
  using Groups = std::vector<Selection>;

  void index_threads();
  void slice();
  Selection last_events(size_t count) const;
  Selection last_events_of_schedule(size_t count) const;
  Selection neighbourhood(size_t count) const;

  Groups threads() const;
  Groups sections() const;
  Groups brackets() const;
  Groups single_events() const;
  // Leaves out what it can. Whether that was something.
  bool leave_out(Groups groups);
  // Whether the finding is in this part of the trace; then that is what is left.
  bool take(Selection selection);

  const Trace& trace_;
  const Finding& finding_;
  const FindingOracle& oracle_;
  const Options options_;
  std::vector<Selection> by_thread_;  // all events of each thread
  Selection left_;
  Trace small_;  // what is left, as a trace
  bool stopped_ = false;
};

}  // namespace foretrace
