#include "recording/collector.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <unistd.h>

namespace foretrace {

using recording::NamesHeader;
using recording::ProcessHeader;
using recording::Record;
using recording::RingHeader;

namespace {

// How long records may stay in a ring that does not fill up. Only a recorder that
// is killed loses them: the program's memory is shared.
constexpr auto kMostDelay = std::chrono::milliseconds(50);
// Between looks: while rings fill up, and when none has for a while. The fastest threads fill one
// in two milliseconds.
constexpr auto kPause = std::chrono::microseconds(500);
constexpr auto kLongPause = std::chrono::milliseconds(2);
constexpr uint32_t kQuietLooks = 16;
// Of a smaller ring hardly anything is settled before it is full.
constexpr uint32_t kSmallRing = 1U << 15;

// The records of a chunk, all of one thread.
class RecordsChunk {
 public:
  enum class Form { plain, coded };
  // `payload` is where it is put together. A plain one is not: it has what add() is told at
  // most two times, which must stay until it is written.
  RecordsChunk(uint32_t process, uint32_t thread, Form form, std::string& payload)
      : label_{process, thread, 0}, form_(form), payload_(payload) {
    if (form == Form::plain) return;
    payload_.assign(sizeof label_, '\0');
    encoder_.emplace();
  }

  // `stamp` is the thread's last one; returns the last one then.
  uint64_t add(std::span<const Record> records, uint64_t stamp) {
    for (const Record& record : records) {
      if (!record.stamped()) continue;
      stamp += record.upper() - static_cast<uint32_t>(stamp);
      if (label_.first_stamp == 0) label_.first_stamp = stamp;
    }
    if (form_ == Form::coded) {
      encoder_->add(records, payload_);
    } else {
      (first_.empty() ? first_ : second_) = records;
    }
    return stamp;
  }
  void write(ftr::ChunkWriter& chunks, PackingChoice& packing) {
    if (form_ == Form::plain) {
      return chunks.write_unchecked(ftr::kPlainRecords,
                                    {bytes_of(std::span<const ftr::RecordsLabel>(&label_, 1)),
                                     bytes_of(first_), bytes_of(second_)});
    }
    std::memcpy(payload_.data(), &label_, sizeof label_);
    if (packing.is_worth_it()) {
      const size_t stored = chunks.write_labelled(ftr::kRecords, payload_, sizeof label_);
      packing.note_packed(payload_.size(), stored);
    } else {
      chunks.write_plain(ftr::kRecords, payload_);
      packing.note_unpacked();
    }
  }

 private:
  template <typename T>
  static std::string_view bytes_of(std::span<const T> items) {
    return {reinterpret_cast<const char*>(items.data()), items.size_bytes()};
  }

  ftr::RecordsLabel label_;
  const Form form_;
  std::string& payload_;
  std::optional<RecordEncoder> encoder_;
  std::span<const Record> first_;
  std::span<const Record> second_;  // where the ring begins anew
};

}  // namespace

void Collector::run(Program& program, const std::function<void()>& meanwhile) {
  chunks_.write_file_header(ftr::kRecordingMajor, ftr::kMinor);
  auto collected = std::chrono::steady_clock::now();
  while (program.is_running()) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_time = now - collected > kMostDelay;
    if (is_time) collected = now;
    const bool any = collect(is_time ? Amount::settled : Amount::much);
    if (is_time) meanwhile();
    if (!any) std::this_thread::sleep_for(quiet_looks_ < kQuietLooks ? kPause : kLongPause);
  }
  // What it wrote last came before its end, so this look sees all of it.
  session_.close();
  collect(Amount::everything);
  finish();
}

bool Collector::collect(Amount amount) {
  look_for_processes();
  for (Process& process : processes_) look_at_rings(process, amount);
  // A name is written before the first record that uses it: whatever the records
  // that were seen above need is there now.
  copy_names();
  bool any = false;
  ++quiet_looks_;
  for (Process& process : processes_) {
    for (const uint32_t number : process.active) {
      Ring& ring = process.rings[number];
      const uint64_t waiting = ring.available - ring.read;
      if (ring.file &&
          (waiting >= ring.header->capacity / 16 || ring.header->capacity < kSmallRing)) {
        quiet_looks_ = 0;
      }
      if (waiting == 0) continue;
      if (amount == Amount::much && !ring.ended && waiting < ring.header->capacity / 4) continue;
      copy_records(process, number, ring);
      any = true;
    }
    for (const uint32_t number : process.active) give_back(process, number, process.rings[number]);
    std::erase_if(process.active, [&](uint32_t number) {
      const Ring& ring = process.rings[number];
      return ring.ended && !ring.file;
    });
  }
  return any;
}

void Collector::look_for_processes() {
  const uint32_t known = session_.header().processes.load(std::memory_order_acquire);
  for (; processes_seen_ < known; ++processes_seen_) awaited_.push_back(processes_seen_);
  std::erase_if(awaited_, [&](uint32_t number) { return add_process(number); });
}

bool Collector::add_process(uint32_t number) {
  std::optional<MappedFile> file =
      MappedFile::open(fmt::format("{}/p{}", session_.folder(), number), sizeof(ProcessHeader));
  if (!file) return false;
  const auto* const header = file->at<ProcessHeader>(0);
  if (header->ready.load(std::memory_order_acquire) == 0) return false;
  const uint32_t names = header->names;
  if (!names_.contains(names)) {
    std::optional<MappedFile> entries =
        MappedFile::open(fmt::format("{}/n{}", session_.folder(), names), recording::kNamesBytes);
    if (!entries) return false;
    names_.try_emplace(names, Names{std::move(*entries)});
  }
  processes_.push_back({number, std::move(*file), {}, {}});
  payload_.clear();
  ftr::append(payload_, number);
  ftr::append(payload_, names);
  chunks_.write(ftr::kProcess, payload_);
  return true;
}

void Collector::look_at_rings(Process& process, Amount amount) {
  const uint32_t threads =
      process.file.at<ProcessHeader>(0)->threads.load(std::memory_order_acquire);
  while (process.rings.size() < threads) {
    process.active.push_back(static_cast<uint32_t>(process.rings.size()));
    process.rings.emplace_back();
  }
  for (const uint32_t number : process.active) {
    Ring& ring = process.rings[number];
    if (!ring.file && !open(process, number, ring)) continue;
    // `ended` is set after the last record, so it must be read first.
    ring.ended = ring.header->ended.load(std::memory_order_acquire) != 0;
    const RingHeader& header = *ring.header;
    ring.available = (amount == Amount::everything ? header.written : header.settled)
                         .load(std::memory_order_acquire);
  }
}

bool Collector::open(const Process& process, uint32_t number, Ring& ring) {
  std::optional<MappedFile> file =
      MappedFile::open(fmt::format("{}/p{}.t{}", session_.folder(), process.number, number));
  if (!file || file->at<RingHeader>(0)->ready.load(std::memory_order_acquire) == 0) return false;
  ring.file = std::move(file);
  ring.header = ring.file->at<RingHeader>(0);
  ring.records = ring.file->at<Record>(recording::kRingHeaderBytes);
  return true;
}

void Collector::copy_names() {
  for (auto& [number, names] : names_) {
    const uint64_t used = names.file.at<NamesHeader>(0)->used.load(std::memory_order_acquire);
    if (used == names.read) continue;
    payload_.clear();
    ftr::append(payload_, number);
    payload_.append(names.file.at<char>(sizeof(NamesHeader) + names.read), used - names.read);
    names.read = used;
    if (is_plain()) {
      chunks_.write_plain(ftr::kImageNames, payload_);
    } else {
      chunks_.write(ftr::kImageNames, payload_);
    }
  }
}

void Collector::copy_records(const Process& process, uint32_t number, Ring& ring) {
  const uint64_t capacity = ring.header->capacity;
  records_ += ring.available - ring.read;
  RecordsChunk chunk(process.number, number,
                     is_plain() ? RecordsChunk::Form::plain : RecordsChunk::Form::coded, payload_);
  while (ring.read < ring.available) {
    const uint64_t place = ring.read & (capacity - 1);
    const std::span<const Record> records(ring.records + place,
                                          std::min(ring.available - ring.read, capacity - place));
    ring.stamp = chunk.add(records, ring.stamp);
    ring.read += records.size();
  }
  chunk.write(chunks_, ring.packing);
  ring.header->read.store(ring.read, std::memory_order_release);
}

std::vector<Record> Collector::last_records(const Ring& ring) {
  std::vector<Record> records;
  const uint64_t written = ring.header->written.load(std::memory_order_acquire);
  for (uint64_t i = ring.read; i < written; ++i) {
    records.push_back(ring.records[i & (ring.header->capacity - 1)]);
  }
  return records;
}

Collector::Unsettled Collector::unsettled() {
  struct Last {
    const Process* process;
    uint32_t thread;
    std::vector<Record> records;
  };
  std::vector<Last> all;
  for (const Process& process : processes_) {
    for (const uint32_t number : process.active) {
      const Ring& ring = process.rings[number];
      if (ring.file) all.push_back({&process, number, last_records(ring)});
    }
  }
  copy_names();
  Unsettled found;
  const std::unique_ptr<ByteSink> sink = string_output(found.chunks);
  ftr::ChunkWriter chunks(*sink);
  for (const Last& last : all) {
    const Ring& ring = last.process->rings[last.thread];
    // A thread that was busy meanwhile may have done what others saw when they were
    // looked at. One that was not has done nothing since.
    if (last_records(ring) != last.records) {
      uint64_t& horizon =
          found.horizons.try_emplace(last.process->number, UINT64_MAX).first->second;
      horizon = std::min(horizon, ring.stamp);
    } else if (!last.records.empty()) {
      RecordsChunk chunk(last.process->number, last.thread, RecordsChunk::Form::coded, payload_);
      chunk.add(last.records, ring.stamp);
      PackingChoice packing;
      chunk.write(chunks, packing);
    }
  }
  return found;
}

// The ring of a thread that has ended, once all of it is copied.
void Collector::give_back(const Process& process, uint32_t number, Ring& ring) {
  if (!ring.file || !ring.ended || ring.read != ring.available) return;
  dropped_ += ring.header->dropped.load(std::memory_order_relaxed);
  ring.file.reset();
  ring.header = nullptr;
  ::unlink(fmt::format("{}/p{}.t{}", session_.folder(), process.number, number).c_str());
}

void Collector::finish() {
  for (const Process& process : processes_) {
    for (const uint32_t number : process.active) {
      const Ring& ring = process.rings[number];
      if (ring.file) dropped_ += ring.header->dropped.load(std::memory_order_relaxed);
    }
  }
  payload_.clear();
  ftr::append(payload_, dropped_);
  ftr::append(payload_, uint64_t{session_.header().no_room.load()});
  chunks_.write(ftr::kEnd, payload_);
}

}  // namespace foretrace
