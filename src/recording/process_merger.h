// Puts the records of a process's threads into one order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tsl/robin_map.h>

#include "recording/mapped_file.h"
#include "recording/process_events.h"
#include "runtime/layout.h"

namespace foretrace {

// Stamped records come in the order of their stamps. A record without a stamp
// comes after the last stamped one of its thread, before the next stamped record
// of any thread that was written after it. docs/recording.md says why that is
// an order in which it can have happened.
class ProcessMerger {
 public:
  ProcessMerger(std::string folder, uint32_t process, MappedFile header, RecordedNames& names,
                Symbols& symbols, NameCounts& counts, RunLog& log);

  // Appends what is known to come next, at most about `most` events; whether
  // there was anything.
  bool merge(EventBuffer& buffer, size_t most);

  // The process has ended: stamps that were taken and never written are not
  // waited for any longer.
  bool has_ended();

  uint64_t left_out() const { return events_.left_out() + dropped_; }
  uint32_t thread_count() const { return static_cast<uint32_t>(rings_.size()); }

 private:
  struct Ring {
    std::optional<MappedFile> file;
    recording::RingHeader* header = nullptr;
    const recording::Record* records = nullptr;
    uint64_t available = 0;  // records, ever
    uint64_t read = 0;
    bool waits = false;  // its next record is stamped and in heads_
    bool done = false;
  };

  recording::ProcessHeader& header() const { return *file_.at<recording::ProcessHeader>(0); }
  void look_at_rings();
  bool open(uint32_t number);
  // Adds the records up to the next stamped one.
  bool add_unstamped(uint32_t number, EventBuffer& buffer);
  void give_back(uint32_t number);
  // The next stamp to be merged; nothing if it was not written yet.
  std::optional<uint32_t> next_thread(uint64_t limit);
  bool is_dead() const;

  const std::string folder_;
  const uint32_t process_;
  MappedFile file_;
  ProcessEvents events_;
  std::vector<Ring> rings_;                   // by thread
  std::vector<uint32_t> active_;              // threads that may still write
  tsl::robin_map<uint32_t, uint32_t> heads_;  // from stamps to threads
  uint64_t expected_ = 1;                     // the next stamp
  bool dead_ = false;
  uint64_t dropped_ = 0;
};

}  // namespace foretrace
