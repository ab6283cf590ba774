// The events of a process that a test puts together record by record.
#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

#include "recording/memory_survey.h"
#include "recording/process_events.h"

namespace foretrace::testing {

struct ThreadRecord {
  uint32_t thread;
  recording::Record record;
};

inline std::ostream& operator<<(std::ostream& out, const ThreadRecord& one) {
  return out << "thread " << one.thread << ", kind " << static_cast<uint32_t>(one.record.kind())
             << ", " << one.record.size() << " bytes at " << one.record.address() << ", site "
             << one.record.site() << ", " << one.record.upper();
}

// As a reader does it: the survey first, then the events.
class RecordedProcess {
 public:
  // `all` as for MemorySurvey.
  RecordedProcess(std::vector<ThreadRecord> records, bool all) : records_(std::move(records)) {
    MemorySurvey survey(all);
    for (const ThreadRecord& one : records_) survey.add(one.thread, one.record);
    std::vector<MemoryPiece> pieces = survey.take_pieces();
    auto places = std::make_unique<PlaceNames>(symbols_);
    events_ = std::make_unique<ProcessEvents>(0, std::move(pieces), names_, symbols_, *places,
                                              counts_, log_, survey.traits());
    symbols_.names(Space::location).leave_to(std::move(places));
  }

  // By record.
  std::vector<std::vector<Event>> events() {
    std::vector<std::vector<Event>> all;
    for (const ThreadRecord& one : records_) {
      EventBuffer buffer;
      events_->add(one.thread, std::span(&one.record, 1), buffer);
      all.push_back(std::move(buffer.events));
    }
    return all;
  }
  uint64_t left_out() const { return events_->left_out(); }
  const Symbols& symbols() const { return symbols_; }

 private:
  const std::vector<ThreadRecord> records_;
  Symbols symbols_;
  SiteNotes notes_;
  SiteInterner sites_{symbols_};
  RecordedNames names_{sites_, notes_};
  NameCounts counts_;
  RunLog log_;
  std::unique_ptr<ProcessEvents> events_;
};

}  // namespace foretrace::testing
