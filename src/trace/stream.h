// A trace as analyses see it: read, checked and filtered, batch by batch.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trace/format.h"
#include "trace/unit_rules.h"
#include "trace/well_formed.h"

namespace foretrace {

struct StreamOptions {
  std::string input_format;  // empty: find out
  WellFormedOptions well_formed;
  std::shared_ptr<const UnitRules> units;   // none: all units count
  bool leave_out_ordered_accesses = false;  // see TraceReader
};

// Reads batches, filters and checks them.
class CheckedReader {
 public:
  CheckedReader(std::unique_ptr<TraceReader> reader, const StreamOptions& options);

  // As TraceReader::read().
  Result<void> read(EventBuffer& buffer);

  const TraceReader& reader() const { return *reader_; }
  const WellFormed& checker() const { return checker_; }

 private:
  std::unique_ptr<TraceReader> reader_;
  std::optional<UnitFilter> units_;
  WellFormed checker_;
};

// Reads and checks in a thread of its own while the caller works on the batch
// that it got last.
class TraceStream {
 public:
  static Result<std::unique_ptr<TraceStream>> open(const std::string& path,
                                                   const StreamOptions& options);
  TraceStream(std::unique_ptr<TraceReader> reader, const StreamOptions& options);
  ~TraceStream();
  TraceStream(const TraceStream&) = delete;
  TraceStream& operator=(const TraceStream&) = delete;

  // The next batch, valid until the next call; empty at the end of the trace.
  Result<EventBatch> next();

  const Symbols& symbols() const { return input_.reader().symbols(); }
  std::shared_ptr<const Symbols> shared_symbols() const { return input_.reader().shared_symbols(); }
  const std::string& source_name() const { return input_.reader().source_name(); }
  bool is_unnested() const { return input_.reader().is_unnested(); }
  std::shared_ptr<const RunFacts> facts() const { return input_.reader().facts(); }
  std::optional<double> progress() const { return input_.reader().progress(); }

  // Events handed out so far; after the end, the length of the trace.
  uint64_t event_count() const { return event_count_; }
  // What the user should know; complete after the end.
  std::vector<std::string> notes() const;
  uint64_t dropped_count() const { return input_.checker().dropped_count(); }
  uint64_t reentrant_count() const { return input_.checker().reentrant_count(); }

 private:
  void read_ahead();

  CheckedReader input_;
  uint64_t event_count_ = 0;
  EventBuffer current_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result<EventBuffer>> ready_;  // guarded by mutex_, like all below
  std::vector<EventBuffer> spare_;
  bool stopping_ = false;
  std::thread worker_;
};

// A whole trace in memory, 16 bytes an event.
struct Trace {
  std::shared_ptr<const Symbols> symbols;
  std::vector<Event> events;
  std::vector<int64_t> big_values;

  EventBatch batch() const { return {0, events, big_values, true}; }
  // The events that come next.
  void append(const EventBatch& batch);
};

// Reads and checks all of it.
Result<Trace> load_trace(std::unique_ptr<TraceReader> reader, const StreamOptions& options = {});

}  // namespace foretrace
