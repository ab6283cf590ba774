#include "recording/live_reader.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/text.h"

namespace foretrace {

using recording::ProcessHeader;

LiveReader::LiveReader(ByteReader input, Session& session, Program& program)
    : TraceReader(std::move(input)),
      session_(session),
      program_(program),
      sites_(mutable_symbols()) {}

Result<std::unique_ptr<LiveReader>> LiveReader::open(const std::string& name, Session& session,
                                                     Program& program) {
  Result<std::unique_ptr<ByteSource>> nothing = memory_input(name, "");
  if (!nothing) return tl::unexpected(nothing.error());
  return std::unique_ptr<LiveReader>(
      new LiveReader(ByteReader(std::move(*nothing)), session, program));
}

Result<void> LiveReader::read(EventBuffer& buffer) {
  buffer.clear(events_);
  auto pause = std::chrono::microseconds(100);
  while (buffer.events.empty() && !finished_) {
    const bool running = program_.is_running();
    if (merge(buffer)) continue;
    if (!running) {
      // What it wrote last came before its end, so this look sees all of it.
      session_.close();
      for (const auto& process : processes_) process->has_ended();
      while (merge(buffer) && buffer.events.size() < kBatchEvents) {
      }
      if (buffer.events.empty()) finish();
      continue;
    }
    for (const auto& process : processes_) process->has_ended();
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(2000));
  }
  events_ += buffer.events.size();
  if (copy_ && !buffer.events.empty()) copy_(buffer.batch());
  return {};
}

bool LiveReader::merge(EventBuffer& buffer) {
  look_for_processes();
  bool any = false;
  for (const auto& process : processes_) any |= process->merge(buffer, kBatchEvents);
  return any;
}

void LiveReader::look_for_processes() {
  const uint32_t known = session_.header().processes.load(std::memory_order_acquire);
  for (; processes_seen_ < known; ++processes_seen_) awaited_.push_back(processes_seen_);
  std::erase_if(awaited_, [&](uint32_t number) { return add_process(number); });
}

bool LiveReader::add_process(uint32_t number) {
  std::optional<MappedFile> file =
      MappedFile::open(fmt::format("{}/p{}", session_.folder(), number), sizeof(ProcessHeader));
  if (!file) return false;
  const auto* const header = file->at<ProcessHeader>(0);
  if (header->ready.load(std::memory_order_acquire) == 0) return false;
  RecordedNames* const names = names_of(header->names);
  if (names == nullptr) return false;
  processes_.push_back(std::make_unique<ProcessMerger>(session_.folder(), number, std::move(*file),
                                                       *names, mutable_symbols(), counts_, *log_));
  return true;
}

RecordedNames* LiveReader::names_of(uint32_t number) {
  auto found = names_.find(number);
  if (found == names_.end()) {
    std::optional<MappedFile> file =
        MappedFile::open(fmt::format("{}/n{}", session_.folder(), number), recording::kNamesBytes);
    if (!file) return nullptr;
    found = names_.try_emplace(number, std::move(*file), sites_, *notes_).first;
  }
  return &found->second;
}

void LiveReader::finish() {
  finished_ = true;
  if (log_->stacks.left_out() > 0) {
    add_note("the run was long: calls that led to its later events are not known");
  }
  uint64_t left_out = 0;
  for (const auto& process : processes_) left_out += process->left_out();
  if (left_out > 0) {
    add_note(
        fmt::format("{} of the program made no sense and were left out (unlocks of locks "
                    "that were not held, signal handlers at a bad moment)",
                    counted(left_out, "record")));
  }
}

}  // namespace foretrace
