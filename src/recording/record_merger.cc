#include "recording/record_merger.h"

namespace foretrace {

using recording::Record;

RecordMerger::RecordMerger(const RecordingFile& file, const RecordingFile::Process& process,
                           UnneededParts unneeded)
    : file_(file),
      names_(process.names),
      unneeded_(std::move(unneeded)),
      horizon_(process.horizon) {
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
  for (; thread.next_part < thread.parts->size(); ++thread.next_part) {
    const auto left_out = unneeded_.find(&(*thread.parts)[thread.next_part]);
    if (left_out == unneeded_.end()) break;
    if (left_out->second != kNoStack) thread.stack = left_out->second;
  }
  if (thread.next_part == thread.parts->size()) {
    thread.bytes = {};
    thread.source.reset();
    return false;
  }
  const RecordingFile::Part& part = (*thread.parts)[thread.next_part++];
  Result<std::unique_ptr<RecordSource>> source =
      file_.open_part(part, names_, unpacker_, thread.bytes);
  if (!source) {
    error_ = source.error().message;
    return false;
  }
  thread.source = std::move(*source);
  // Stamps are written by their lower halves; the label has all of the first.
  if (part.first_stamp != 0) thread.stamp = part.first_stamp - 1;
  return true;
}

bool RecordMerger::decode(Thread& thread) {
  const std::span<Record> space = thread.records;
  thread.next = 0;
  thread.count = 0;
  if (thread.stack != kNoStack) {
    space[0] = Record::make(recording::Kind::stack, thread.stack, 0, 0, 0);
    thread.stack = kNoStack;
    thread.count = 1;
  }
  thread.count += thread.source->read(space.subspan(thread.count));
  return thread.count > 0;
}

bool RecordMerger::look(Thread& thread) {
  if (thread.next < thread.count) return true;
  while (thread.source == nullptr || !decode(thread)) {
    if (thread.source != nullptr && thread.source->is_damaged()) {
      error_ =
          fmt::format("{}: records of thread {} cannot be decoded", file_.name(), thread.number);
      return false;
    }
    if (!open_part(thread)) return false;
  }
  return true;
}

bool RecordMerger::begin_turn() {
  if (turns_.empty()) return false;
  const Turn turn = turns_.top();
  if (!follows(turn.stamp)) return false;
  turns_.pop();
  expected_ = turn.stamp + 1;
  current_ = turn.thread;
  first_ = true;
  return true;
}

bool RecordMerger::is_its_turn() {
  Thread& thread = *current_;
  const uint32_t lower = thread.records[thread.next].upper();
  const uint64_t stamp = thread.stamp + (lower - static_cast<uint32_t>(thread.stamp));
  if (!first_) {
    if (!turns_.empty() && turns_.top().stamp < stamp) {
      turns_.push({stamp, current_});
      return false;
    }
    incomplete_ = !follows(stamp);
    if (incomplete_) return false;
    expected_ = stamp + 1;
  }
  thread.stamp = stamp;
  first_ = false;
  return true;
}

bool RecordMerger::next(Run& run) {
  for (; !incomplete_; current_ = nullptr) {
    if (current_ == nullptr && !begin_turn()) return false;
    if (!look(*current_)) {
      if (!error_.empty()) return false;
      continue;
    }
    Thread& thread = *current_;
    if (thread.records[thread.next].stamped() && !is_its_turn()) continue;
    const size_t first = thread.next++;
    while (thread.next < thread.count && !thread.records[thread.next].stamped()) ++thread.next;
    run = {thread.number, &(*thread.parts)[thread.next_part - 1],
           std::span(thread.records).subspan(first, thread.next - first)};
    return true;
  }
  return false;
}

}  // namespace foretrace
