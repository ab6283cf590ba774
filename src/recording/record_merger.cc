#include "recording/record_merger.h"

namespace foretrace {

using recording::Record;

RecordMerger::RecordMerger(const RecordingFile& file, const RecordingFile::Process& process)
    : file_(file) {
  for (const auto& [number, parts] : process.threads) {
    // A thread's first record has a stamp; before it there can be its stack.
    uint64_t first_stamp = 0;
    for (const RecordingFile::Part& part : parts) {
      if (first_stamp == 0) first_stamp = part.first_stamp;
    }
    if (first_stamp == 0) continue;
    auto thread = std::make_unique<Thread>();
    thread->number = number;
    thread->parts = &parts;
    turns_.push({first_stamp, thread.get()});
    threads_.push_back(std::move(thread));
  }
}

bool RecordMerger::open_part(Thread& thread) {
  if (thread.next_part == thread.parts->size()) {
    thread.bytes = {};
    thread.decoder.reset();
    return false;
  }
  const RecordingFile::Part& part = (*thread.parts)[thread.next_part++];
  error_ = file_.unpack(part, unpacker_, thread.bytes);
  if (!error_.empty()) return false;
  const std::string_view bytes(thread.bytes.data(), thread.bytes.size());
  thread.decoder = std::make_unique<RecordDecoder>(bytes.substr(sizeof(ftr::RecordsLabel)));
  // Stamps are written by their lower halves; the label has all of the first.
  if (part.first_stamp != 0) thread.stamp = part.first_stamp - 1;
  return true;
}

bool RecordMerger::look(Thread& thread) {
  if (thread.has_record) return true;
  while (thread.decoder == nullptr || !thread.decoder->next(thread.record)) {
    if (thread.decoder != nullptr && thread.decoder->is_damaged()) {
      error_ =
          fmt::format("{}: records of thread {} cannot be decoded", file_.name(), thread.number);
      return false;
    }
    if (!open_part(thread)) return false;
  }
  thread.has_record = true;
  if (thread.record.stamped()) {
    thread.stamp += thread.record.upper() - static_cast<uint32_t>(thread.stamp);
  }
  return true;
}

bool RecordMerger::begin_turn() {
  if (turns_.empty()) return false;
  const Turn turn = turns_.top();
  // Where the recorder was stopped, the missing record may be one of a thread
  // whose last records are lost, and what follows would be without it. Else a
  // thread was killed after it took the stamp.
  if (turn.stamp != expected_ && !file_.is_complete()) return false;
  turns_.pop();
  expected_ = turn.stamp + 1;
  current_ = turn.thread;
  first_ = true;
  return true;
}

bool RecordMerger::next(uint32_t& thread, Record& record) {
  for (;;) {
    if (current_ == nullptr && !begin_turn()) return false;
    if (!look(*current_)) {
      if (!error_.empty()) return false;
      current_ = nullptr;
      continue;
    }
    if (current_->record.stamped() && !first_) {
      if (!turns_.empty() && turns_.top().stamp < current_->stamp) {
        turns_.push({current_->stamp, current_});
        current_ = nullptr;
        continue;
      }
      if (current_->stamp != expected_ && !file_.is_complete()) return false;
      expected_ = current_->stamp + 1;
    }
    if (current_->record.stamped()) first_ = false;
    thread = current_->number;
    record = current_->record;
    current_->has_record = false;
    return true;
  }
}

}  // namespace foretrace
