// Reads the trace of a recording.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>

#include "recording/process_events.h"
#include "recording/record_merger.h"
#include "recording/recorded_facts.h"
#include "recording/recording_file.h"
#include "trace/format.h"

namespace foretrace {

// Goes through each process's records twice: a survey of its memory, then the
// events.
class RecordingReader : public TraceReader {
 public:
  // The file is all that `input` gives.
  explicit RecordingReader(ByteReader input) : TraceReader(std::move(input)) {}
  static Result<std::unique_ptr<RecordingReader>> open(std::shared_ptr<const RecordingFile> file);

  void leave_out_ordered_accesses() override { all_ = false; }
  bool is_unnested() const override { return true; }
  std::shared_ptr<const RunFacts> facts() const override { return facts_; }
  // By parts: of the second time, as there are no events before.
  std::optional<double> progress() const override { return progress_.load(); }
  Result<void> read(EventBuffer& buffer) override;

 private:
  Result<void> load();
  void read_names();
  // Gets the next process ready; false after the last.
  Result<bool> begin_process();
  // The pieces of a process's memory, and what of its records need not be read again.
  struct Survey {
    std::vector<MemoryPiece> pieces;
    UnneededParts unneeded;
    ProcessTraits traits;
    bool may_race;
  };
  Result<Survey> survey(const RecordingFile::Process& process) const;
  void finish();

  bool all_ = true;
  std::shared_ptr<const RecordingFile> file_;
  SiteInterner sites_{mutable_symbols()};
  std::shared_ptr<RecordedFacts> facts_ = std::make_shared<RecordedFacts>(shared_symbols());
  PlaceNames* places_ = nullptr;  // of the symbols; null before the first event
  NameCounts counts_;
  std::map<uint32_t, RecordedNames> names_;
  std::map<uint32_t, RecordingFile::Process>::const_iterator next_process_;
  std::optional<RecordMerger> merger_;
  std::unique_ptr<ProcessEvents> events_;  // of the process that is being read,
  bool may_race_ = true;                   // as EventBatch says it
  uint64_t all_parts_ = 0;
  uint64_t parts_done_ = 0;  // of the processes that have been read
  std::atomic<double> progress_ = 0;
  uint64_t next_index_ = 0;
  uint64_t left_out_ = 0;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace foretrace
