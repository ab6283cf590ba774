#include "recording/process_merger.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace foretrace {

using recording::Record;
using recording::RingHeader;

ProcessMerger::ProcessMerger(std::string folder, uint32_t process, MappedFile header,
                             RecordedNames& names, Symbols& symbols, NameCounts& counts,
                             RunLog& log)
    : folder_(std::move(folder)),
      process_(process),
      file_(std::move(header)),
      events_(process, names, symbols, counts, log) {}

bool ProcessMerger::merge(EventBuffer& buffer, size_t most) {
  // The order of these two matters: whatever was written before a stamp below
  // the limit was taken is seen when the rings are looked at.
  const uint64_t limit = header().next_stamp.load(std::memory_order_acquire);
  look_at_rings();
  bool any = false;
  for (const uint32_t number : active_) any |= add_unstamped(number, buffer);
  while (buffer.events.size() < most) {
    const std::optional<uint32_t> number = next_thread(limit);
    if (!number) break;
    any = true;
    Ring& ring = rings_[*number];
    const Record& record = ring.records[ring.read & (ring.header->capacity - 1)];
    ring.waits = false;
    heads_.erase(record.upper());
    ++expected_;
    ++ring.read;
    events_.add(*number, record, buffer);
    add_unstamped(*number, buffer);
  }
  for (const uint32_t number : active_) give_back(number);
  std::erase_if(active_, [&](uint32_t number) { return rings_[number].done; });
  return any;
}

std::optional<uint32_t> ProcessMerger::next_thread(uint64_t limit) {
  if (heads_.empty()) return std::nullopt;
  if (expected_ >= limit) return std::nullopt;
  auto found = heads_.find(static_cast<uint32_t>(expected_));
  if (found == heads_.end()) {
    if (!dead_) return std::nullopt;
    // A thread was killed after it took the stamp.
    while (found == heads_.end() && expected_ < limit) {
      found = heads_.find(static_cast<uint32_t>(++expected_));
    }
    if (found == heads_.end()) return std::nullopt;
  }
  return found->second;
}

void ProcessMerger::look_at_rings() {
  const uint32_t threads = header().threads.load(std::memory_order_acquire);
  while (rings_.size() < threads) {
    active_.push_back(static_cast<uint32_t>(rings_.size()));
    rings_.emplace_back();
  }
  for (const uint32_t number : active_) {
    Ring& ring = rings_[number];
    if (!ring.file && !open(number)) continue;
    ring.available = ring.header->written.load(std::memory_order_acquire);
  }
}

bool ProcessMerger::open(uint32_t number) {
  Ring& ring = rings_[number];
  std::optional<MappedFile> file =
      MappedFile::open(fmt::format("{}/p{}.t{}", folder_, process_, number));
  if (!file || file->at<RingHeader>(0)->ready.load(std::memory_order_acquire) == 0) return false;
  ring.file = std::move(file);
  ring.header = ring.file->at<RingHeader>(0);
  ring.records = ring.file->at<Record>(recording::kRingHeaderBytes);
  return true;
}

bool ProcessMerger::add_unstamped(uint32_t number, EventBuffer& buffer) {
  Ring& ring = rings_[number];
  if (ring.waits) return false;
  const uint64_t before = ring.read;
  for (; ring.read < ring.available; ++ring.read) {
    const Record& record = ring.records[ring.read & (ring.header->capacity - 1)];
    if (record.stamped()) {
      heads_[record.upper()] = number;
      ring.waits = true;
      break;
    }
    events_.add(number, record, buffer);
  }
  return ring.read != before;
}

void ProcessMerger::give_back(uint32_t number) {
  Ring& ring = rings_[number];
  if (!ring.file) return;
  // `ended` is set after the last record, so it must be read first.
  const bool ended = ring.header->ended.load(std::memory_order_acquire) != 0;
  ring.header->read.store(ring.read, std::memory_order_release);
  if (!ended || ring.read != ring.header->written.load(std::memory_order_acquire)) return;
  dropped_ += ring.header->dropped.load(std::memory_order_relaxed);
  ring.file.reset();
  ring.done = true;
  ::unlink(fmt::format("{}/p{}.t{}", folder_, process_, number).c_str());
}

bool ProcessMerger::has_ended() {
  if (!dead_) dead_ = is_dead();
  return dead_;
}

// A zombie whose other threads still run is not dead: main() may end first.
bool ProcessMerger::is_dead() const {
  const std::string folder = fmt::format("/proc/{}", header().pid);
  std::ifstream file(folder + "/stat");
  std::string stat;
  if (!std::getline(file, stat)) return true;
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return true;
  const char state = stat[name_end + 2];
  if (state != 'Z' && state != 'X') return false;
  std::error_code error;
  size_t tasks = 0;
  for (auto task = std::filesystem::directory_iterator(folder + "/task", error);
       !error && task != std::filesystem::directory_iterator(); task.increment(error)) {
    ++tasks;
  }
  return tasks <= 1;
}

}  // namespace foretrace
