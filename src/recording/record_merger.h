// Puts the records of a process's threads into one order.
#pragma once

#include <queue>
#include <string>
#include <vector>

#include "recording/recording_file.h"

namespace foretrace {

// Stamped records come in the order of their stamps, and a record without a stamp
// comes right behind the stamped one of its thread that it follows.
// docs/recording.md says why that is an order in which it can have happened.
class RecordMerger {
 public:
  // The file must outlive the merger.
  RecordMerger(const RecordingFile& file, const RecordingFile::Process& process);

  // The next record and the number of its thread; false at the end, which may
  // have come too early: error().
  bool next(uint32_t& thread, recording::Record& record);
  const std::string& error() const { return error_; }

 private:
  // The records of one thread. Its bytes are unpacked when its turn comes.
  struct Thread {
    uint32_t number = 0;
    const std::vector<RecordingFile::Part>* parts = nullptr;
    size_t next_part = 0;
    std::vector<char> bytes;
    std::unique_ptr<RecordDecoder> decoder;  // null before and after its records
    recording::Record record = {};           // the next one, if has_record
    bool has_record = false;
    uint64_t stamp = 0;  // of the last stamped record that was looked at
  };
  struct Turn {
    uint64_t stamp;
    Thread* thread;
    bool operator<(const Turn& other) const { return stamp > other.stamp; }  // the least first
  };

  // Looks at the thread's next record; whether there is one.
  bool look(Thread& thread);
  bool open_part(Thread& thread);
  bool begin_turn();

  const RecordingFile& file_;
  ftr::ChunkUnpacker unpacker_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::priority_queue<Turn> turns_;
  Thread* current_ = nullptr;
  bool first_ = false;  // current_'s next record is the stamped one of its turn
  uint64_t expected_ = 1;
  std::string error_;
};

}  // namespace foretrace
