// `foretrace run --live`: what is found while the program still runs.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>

#include <sys/types.h>

#include "base/error.h"
#include "recording/collector.h"
#include "recording/spool.h"
#include "report/report.h"

namespace foretrace {

// Now and then analyses all that was recorded so far, and says each error that was not
// said before in one line. A process of its own does that, at a low priority, so that
// the recorder always has time for the program, and nothing is left of it when the
// program has ended.
class LiveReport {
 public:
  // What is to be reported of a recording; called in the process of its own.
  using Analyze = std::function<Result<Report>(std::shared_ptr<const RecordingFile>)>;

  // Looks every `pause`, but less often where a look takes long: at most a quarter of
  // the time is spent on it.
  LiveReport(std::string program, std::chrono::duration<double> pause, Analyze analyze);
  // Stops a look that is under way: what it would say is in the report.
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  // To be called often, while the collector copies to the spool.
  void consider(Collector& collector, Spool& spool);

 private:
  using Clock = std::chrono::steady_clock;

  void start(Collector& collector, Spool& spool);
  // In the process of its own.
  [[noreturn]] void look(Result<MappedBytes> bytes, const Horizons& horizons, int answers) const;
  // What to say of a report: for each error its ids and a line.
  std::string new_errors(const Report& report) const;
  void read_answers();
  void say(std::string_view answer);

  const std::string program_;
  const std::chrono::duration<double> pause_;
  const Analyze analyze_;
  const Clock::time_point begun_ = Clock::now();
  std::set<std::string, std::less<>> said_;  // ids

  pid_t process_ = 0;  // that looks; 0: none
  int answers_ = -1;   // from it
  std::string answer_;
  Clock::time_point started_ = begun_;  // the last look
  Clock::time_point next_;
  uint64_t seen_ = 0;  // bytes of the recording at the last look
};

}  // namespace foretrace
