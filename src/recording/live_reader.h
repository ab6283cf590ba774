// Reads the trace of a program while it runs.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "recording/process_merger.h"
#include "recording/program.h"
#include "recording/session.h"
#include "trace/format.h"

namespace foretrace {

// The trace ends when the program has. What processes that it left behind do
// after that is not in it.
class LiveReader : public TraceReader {
 public:
  // Both must outlive the reader.
  static Result<std::unique_ptr<LiveReader>> open(const std::string& name, Session& session,
                                                  Program& program);

  // Called with each batch before it is handed out.
  void set_copy(std::function<void(const EventBatch&)> copy) { copy_ = std::move(copy); }

  // What is known of sites; complete when the trace has been read.
  std::shared_ptr<const SiteNotes> site_notes() const { return notes_; }

  // Likewise: stacks and starts of threads.
  std::shared_ptr<const RunLog> log() const { return log_; }

  Result<void> read(EventBuffer& buffer) override;

 private:
  LiveReader(ByteReader input, Session& session, Program& program);
  // Appends what is there; whether there was anything.
  bool merge(EventBuffer& buffer);
  void look_for_processes();
  bool add_process(uint32_t number);
  RecordedNames* names_of(uint32_t number);
  void finish();

  Session& session_;
  Program& program_;
  SiteInterner sites_;
  std::shared_ptr<SiteNotes> notes_ = std::make_shared<SiteNotes>();
  std::shared_ptr<RunLog> log_ = std::make_shared<RunLog>();
  NameCounts counts_;
  std::map<uint32_t, RecordedNames> names_;
  std::vector<std::unique_ptr<ProcessMerger>> processes_;
  std::vector<uint32_t> awaited_;  // numbers of processes that are not ready yet
  uint32_t processes_seen_ = 0;
  uint64_t events_ = 0;
  bool finished_ = false;
  std::function<void(const EventBatch&)> copy_;
};

}  // namespace foretrace
