// Puts the records of a process's threads into one order.
#pragma once

#include <queue>
#include <span>
#include <string>
#include <vector>

#include "recording/part_pages.h"
#include "recording/recording_file.h"

namespace foretrace {

// Stamped records come in the order of their stamps, and a record without a stamp
// comes right behind the stamped one of its thread that it follows.
// docs/recording.md says why that is an order in which it can have happened.
class RecordMerger {
 public:
  // The file must outlive the merger. Parts that are not needed are not read.
  RecordMerger(const RecordingFile& file, const RecordingFile::Process& process,
               UnneededParts unneeded);

  // Records that follow each other, all of one thread and one part, the first at most
  // with a stamp.
  struct Run {
    uint32_t thread = 0;
    const RecordingFile::Part* part = nullptr;
    std::span<const recording::Record> records;  // until the next call
  };
  // False at the end, which may have come too early: error().
  bool next(Run& run);
  const std::string& error() const { return error_; }
  // How many parts were opened or left out.
  uint64_t parts_done() const {
    uint64_t count = 0;
    for (const auto& thread : threads_) count += thread->next_part;
    return count;
  }

 private:
  // The records of one thread. Its bytes are unpacked when its turn comes.
  struct Thread {
    uint32_t number = 0;
    const std::vector<RecordingFile::Part>* parts = nullptr;
    size_t next_part = 0;
    std::vector<char> bytes;
    std::unique_ptr<RecordSource> source;  // null before and after its records
    std::vector<recording::Record> records = std::vector<recording::Record>(kAtOnce);
    size_t next = 0;  // of the records that were decoded
    size_t count = 0;
    uint64_t stamp = 0;         // of the last stamped record that was handed out
    uint32_t stack = kNoStack;  // where parts that were left out have brought it
  };
  static constexpr size_t kAtOnce = 512;
  struct Turn {
    uint64_t stamp;
    Thread* thread;
    bool operator<(const Turn& other) const { return stamp > other.stamp; }  // the least first
  };

  // Whether the thread has a next record; decodes some if need be.
  bool look(Thread& thread);
  bool decode(Thread& thread);
  bool open_part(Thread& thread);
  bool begin_turn();
  // Whether it is the turn of the current thread's next record, which has a stamp.
  bool is_its_turn();
  // Whether all records that come before the one with this stamp are known.
  bool follows(uint64_t stamp) const {
    // Where the recorder was stopped, a missing record may be one of a thread whose last
    // records are lost, and what follows would be without it. Else a thread was killed
    // after it took the stamp.
    return stamp <= horizon_ && (stamp == expected_ || file_.is_complete());
  }

  const RecordingFile& file_;
  const uint32_t names_;  // of the process
  const UnneededParts unneeded_;
  ftr::ChunkUnpacker unpacker_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::priority_queue<Turn> turns_;
  Thread* current_ = nullptr;
  bool first_ = false;  // current_'s next record is the stamped one of its turn
  const uint64_t horizon_;
  uint64_t expected_ = 1;
  bool incomplete_ = false;  // a record is missing, and what follows cannot be read
  std::string error_;
};

}  // namespace foretrace
