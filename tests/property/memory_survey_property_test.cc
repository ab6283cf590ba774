// What a survey of memory leaves out of a trace changes nothing: analyses that say
// so (AnalysisInfo::ignores_ordered_accesses) find the same without it. And where it says that
// nothing may race, nothing does.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/certifier.h"
#include "property/random_trace.h"
#include "property/recorded_process.h"
#include "property/run_analysis.h"
#include "recording/memory_survey.h"
#include "trace/memory_reader.h"

namespace foretrace::testing {
namespace {

using recording::Kind;
using recording::Record;

constexpr uint64_t kFirstAddress = 0x10000;
constexpr uint64_t kBytes = 8;

constexpr uint64_t kFirstLock = 0x90000;

uint64_t address_of(LocationId location) { return kFirstAddress + kBytes * location; }
uint64_t address_of_lock(LockId lock) { return kFirstLock + kBytes * lock; }

// The record of what a survey knows of.
std::optional<Record> record_of(const Event& event) {
  const auto access = [&](Kind kind) {
    return Record::make(kind, address_of(event.object), kBytes, 0, 0);
  };
  const auto lock = [&](Kind kind) {
    return Record::make(kind, address_of_lock(event.object), 0, 0, 0);
  };
  switch (event.op()) {
    case Op::acq:
      return lock(Kind::lock);
    case Op::racq:
      return lock(Kind::lock_shared);
    case Op::rel:
    case Op::rrel:
      return lock(Kind::unlock);
    case Op::wait:
      return lock(Kind::cond_wait);
    case Op::rd:
      return access(Kind::read);
    case Op::wr:
      return access(Kind::write);
    case Op::vrd:
      return access(Kind::atomic_read);
    case Op::vwr:
      return access(Kind::atomic_write);
    case Op::vrmw:
      return access(Kind::atomic_update);
    case Op::ard:
      return access(Kind::relaxed_read);
    case Op::awr:
      return access(Kind::relaxed_write);
    case Op::armw:
      return access(Kind::relaxed_update);
    case Op::fork:
      return Record::make(Kind::thread_create, event.object, 0, 0, 0);
    case Op::join:
      return Record::make(Kind::thread_join, event.object, 0, 0, 0);
    default:
      return std::nullopt;
  }
}

// A thread takes its lock back when its wait is over.
void add_to(MemorySurvey& survey, const Trace& trace) {
  std::map<ThreadId, LockId> waits;
  for (const Event& event : trace.events) {
    if (const auto wait = waits.find(event.thread); event.resumes != 0 && wait != waits.end()) {
      const LockId lock = wait->second;
      waits.erase(wait);
      if (event.op() != Op::acq || event.object != lock) {
        survey.add(event.thread, Record::make(Kind::lock, address_of_lock(lock), 0, 0, 0));
      }
    }
    if (event.op() == Op::wait) waits[event.thread] = event.object;
    if (const std::optional<Record> record = record_of(event)) survey.add(event.thread, *record);
  }
}

// The trace without the accesses that the survey leaves out; indexes stay. An access that
// stands for the end of a wait stays: in recordings that is always an acquire.
Trace reduced(const Trace& trace) {
  MemorySurvey survey(false);
  add_to(survey, trace);
  std::set<uint64_t> kept;
  for (const MemoryPiece& piece : survey.take_pieces()) {
    RC_ASSERT(piece.bytes == kBytes);
    kept.insert(piece.address);
  }
  Trace less = trace;
  for (Event& event : less.events) {
    if (space_of(event.op()) == Space::location && event.resumes == 0 &&
        !kept.contains(address_of(event.object))) {
      event = make_event(event.thread, Op::skip, 0, kNoSite);
    }
  }
  Result<std::unique_ptr<TraceReader>> reader = read_from_memory("reduced", less);
  RC_ASSERT(reader.has_value());
  StreamOptions options;
  options.well_formed.unnested = true;
  Result<Trace> checked = load_trace(std::move(*reader), options);
  RC_ASSERT(checked.has_value());
  return *checked;
}

// The events of what the analysis finds, of those that must be decided the
// certified ones.
std::set<std::vector<uint64_t>> found(const AnalysisInfo& info, const Trace& trace) {
  std::vector<Candidate> candidates = run_analysis(info.name, trace);
  if (info.needs_deciding) decide(trace, candidates, {100'000'000, 1, nullptr});
  std::set<std::vector<uint64_t>> events;
  for (const Candidate& candidate : candidates) {
    if (info.needs_deciding && candidate.strength == Strength::predicted) continue;
    std::vector<uint64_t> indexes;
    for (const auto& event : candidate.events) indexes.push_back(event.index);
    events.insert(std::move(indexes));
  }
  return events;
}

// Without barriers: which arrivals are one generation depends on when threads have
// their next event (docs/architecture.md), and random barriers have no fixed number
// of threads.
rc::Gen<RandomTrace> any_trace() {
  RandomTraceOptions many;
  many.barriers = many.objects = false;
  many.length = 1.5;
  RandomTraceOptions ordered = many;  // by volatiles and forks only
  ordered.locks_for_reading = ordered.waits = false;
  ordered.locks = 1;
  ordered.locations = 6;
  RandomTraceOptions mixed = many;
  mixed.mixed = true;
  return rc::gen::oneOf(random_trace(many), random_trace(ordered), random_trace(mixed));
}

RC_GTEST_PROP(MemorySurvey, WhatIsLeftOutChangesNoFinding, ()) {
  const RandomTrace random = *any_trace();
  const Trace less = reduced(random.trace);
  const auto skips = [](const Trace& trace) {
    return std::count_if(trace.events.begin(), trace.events.end(),
                         [](const Event& event) { return event.op() == Op::skip; });
  };
  RC_CLASSIFY(skips(less) > skips(random.trace), "smaller");
  for (const AnalysisInfo& info : analyses()) {
    if (!info.ignores_ordered_accesses) continue;
    RC_ASSERT(found(info, less) == found(info, random.trace));
  }
}

RC_GTEST_PROP(MemorySurvey, WhereNothingMayRaceNothingDoes, ()) {
  RandomTraceOptions guarded;  // few locations that all threads use under few locks
  guarded.barriers = guarded.objects = false;
  guarded.locks = 2;
  guarded.locations = 2;
  RandomTraceOptions mixed = guarded;  // atomic and plain accesses of the same locations
  mixed.mixed = true;
  mixed.locks_for_reading = mixed.waits = false;
  const RandomTrace random =
      *rc::gen::oneOf(any_trace(), random_trace(guarded), random_trace(mixed));
  MemorySurvey survey(false);
  add_to(survey, random.trace);
  RC_CLASSIFY(!survey.may_race(), "nothing may race");
  RC_CLASSIFY(!survey.may_race() && !survey.take_pieces().empty(), "by locks or atomics");
  if (survey.may_race()) return;
  for (const AnalysisInfo& info : analyses()) {
    if (info.only_races) RC_ASSERT(found(info, random.trace).empty());
  }
}

// ---- elements at equal distances

struct AnyRecord {
  uint32_t thread;
  Record record;
};

std::ostream& operator<<(std::ostream& out, const AnyRecord& any) {
  return out << "thread " << any.thread << ", kind " << static_cast<uint32_t>(any.record.kind())
             << ", " << any.record.size() << " bytes at " << any.record.address() << ", "
             << any.record.upper();
}

// Few bytes, so that accesses meet; some of them where one page ends and the next begins.
rc::Gen<AnyRecord> any_record() {
  constexpr uint64_t kPages = 0x40000;
  const auto number = [](uint32_t end) { return rc::gen::inRange<uint32_t>(0, end); };
  return rc::gen::map(
      rc::gen::tuple(number(3), number(20), number(48), number(5), number(6), number(300)),
      [](const std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>& numbers) {
        const auto [thread, what, at, size, distance, many] = numbers;
        const uint64_t address = kPages + kSurveyPage - 100 + uint64_t{at} * 4 + (at == 7 ? 1 : 0);
        const bool write = what % 2 == 0;
        const uint32_t bytes = 1U << size;
        if (what < 12) {
          constexpr uint32_t kDistances[] = {0, 4, 8, 24, 1000, kSurveyPage * 2};
          const uint32_t stride = bytes + kDistances[distance];
          const Kind kind = write ? Kind::write_strided : Kind::read_strided;
          return AnyRecord{
              thread, Record::make(kind, address, bytes, 0, Record::strided(many + 1, stride))};
        }
        if (what < 14) {
          const Kind kind = write ? Kind::write_range : Kind::read_range;
          return AnyRecord{thread, Record::make(kind, address, 0, 0, many)};
        }
        if (what < 16) {
          return AnyRecord{thread,
                           Record::make(write ? Kind::write : Kind::read, address, bytes, 0, 0)};
        }
        if (what == 16) return AnyRecord{thread, Record::make(Kind::atomic_read, address, 4, 0, 0)};
        if (what == 17) return AnyRecord{thread, Record::make(Kind::alloc, address, 0, 0, many)};
        if (what == 18) return AnyRecord{thread, Record::make(Kind::free, address, 0, 9, 0)};
        return AnyRecord{thread, Record::make(Kind::barrier, kFirstLock, 0, 0, 0)};
      });
}

std::vector<Record> one_by_one(const Record& record) {
  const bool write = record.kind() == Kind::write_strided;
  if (!write && record.kind() != Kind::read_strided) return {record};
  std::vector<Record> records;
  for (uint64_t i = 0; i < record.elements(); ++i) {
    records.push_back(Record::make(write ? Kind::write : Kind::read,
                                   record.address() + i * record.stride(), record.size(), 0, 0));
  }
  return records;
}

std::set<std::tuple<uint64_t, uint32_t, uint32_t>> pieces_of(MemorySurvey& survey) {
  std::set<std::tuple<uint64_t, uint32_t, uint32_t>> pieces;
  for (const MemoryPiece& piece : survey.take_pieces()) {
    pieces.emplace(piece.address, piece.since, piece.bytes);
  }
  return pieces;
}

RC_GTEST_PROP(MemorySurvey, ElementsAtEqualDistancesAreAsOneByOne, (bool all)) {
  const std::vector<AnyRecord> records = *rc::gen::container<std::vector<AnyRecord>>(any_record());
  MemorySurvey survey(all);
  MemorySurvey slow(all);
  for (const AnyRecord& any : records) {
    survey.add(any.thread, any.record);
    for (const Record& record : one_by_one(any.record)) slow.add(any.thread, record);
  }
  RC_ASSERT(survey.may_race() == slow.may_race());
  const auto pieces = pieces_of(survey);
  RC_CLASSIFY(!pieces.empty(), "some memory matters");
  RC_ASSERT(pieces == pieces_of(slow));
}

// ---- atomic and plain accesses of the same bytes

// Mostly atomic updates, which order the threads that make them; of two words, their halves, and
// more rarely of less.
rc::Gen<AnyRecord> any_access() {
  const auto number = [](uint32_t end) { return rc::gen::inRange<uint32_t>(0, end); };
  return rc::gen::map(
      rc::gen::tuple(number(3), number(20), number(16), number(10)),
      [](const std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>& numbers) {
        const auto [thread, what, at, size] = numbers;
        constexpr Kind kRare[] = {Kind::read,           Kind::read,          Kind::read,
                                  Kind::write,          Kind::atomic_read,   Kind::atomic_read,
                                  Kind::atomic_read,    Kind::atomic_write,  Kind::relaxed_read,
                                  Kind::relaxed_update, Kind::relaxed_write, Kind::atomic_update};
        const Kind kind = kRare[std::min<size_t>(what, std::size(kRare) - 1)];
        constexpr uint32_t kSizes[] = {8, 8, 8, 8, 8, 4, 4, 4, 2, 1};
        const uint32_t bytes = kSizes[size];
        const uint64_t address = kFirstAddress + at / bytes * bytes % (at % 4 == 0 ? 16 : 8);
        if (what == 19 && size < 5) {
          return AnyRecord{thread, Record::make(Kind::alloc, kFirstAddress + at % 2 * 8, 0, 0,
                                                size % 2 == 0 ? 8 : 16)};
        }
        return AnyRecord{thread, Record::make(kind, address, bytes, 0, 0)};
      });
}

// All accesses of each byte, each compared with all before it.
class AllAccesses {
 public:
  // Whether it races with one before.
  bool add(uint32_t thread, const Record& record) {
    const Kind kind = record.kind();
    const bool read = kind == Kind::read || kind == Kind::atomic_read || kind == Kind::relaxed_read;
    const bool atomic = kind != Kind::read && kind != Kind::write;
    if (kind == Kind::alloc) {
      order_.forget(record.address(), record.upper());
      for (uint64_t b = 0; b < record.upper(); ++b) {
        pasts_.erase(record.address() + b);
      }
      return false;
    }
    if (kind == Kind::write || kind == Kind::relaxed_write) {
      order_.overwrite(record.address(), record.size());
    }
    bool races = false;
    for (uint64_t byte = record.address(); byte < record.address() + record.size(); ++byte) {
      for (const Past& past : pasts_[byte]) {
        races |= past.thread != thread && (past.write || !read) && !(past.atomic && atomic) &&
                 !order_.ordered(past.epoch, thread);
      }
      pasts_[byte].push_back({thread, order_.epoch(thread), !read, atomic});
      if (atomic) atomic_bytes_.insert(byte);
    }
    if (kind == Kind::atomic_read || kind == Kind::atomic_update) {
      order_.atomic_read(thread, record.address(), record.size());
    }
    if (kind == Kind::atomic_write || kind == Kind::atomic_update) {
      order_.atomic_write(thread, record.address(), record.size());
    }
    return races;
  }
  const std::set<uint64_t>& atomic_bytes() const { return atomic_bytes_; }

 private:
  struct Past {
    uint32_t thread;
    Epoch epoch;
    bool write;
    bool atomic;
  };
  HardOrder order_;
  std::map<uint64_t, std::vector<Past>> pasts_;
  std::set<uint64_t> atomic_bytes_;
};

RC_GTEST_PROP(MemorySurvey, AtomicAndPlainAccessesMayRaceWhereTwoAreNotOrdered, ()) {
  const std::vector<AnyRecord> records = *rc::gen::container<std::vector<AnyRecord>>(any_access());
  MemorySurvey survey(false);
  AllAccesses all;
  for (const AnyRecord& any : records) {
    survey.add(any.thread, any.record);
    const bool races = all.add(any.thread, any.record);
    RC_ASSERT(survey.may_race() == races);
    if (races) return;
  }
  std::set<uint64_t> bytes;
  for (const MemoryPiece& piece : survey.take_pieces()) {
    for (uint32_t i = 0; i < piece.bytes; ++i) bytes.insert(piece.address + i);
  }
  RC_CLASSIFY(!bytes.empty(), "without a race, some atomic");
  RC_ASSERT(bytes == all.atomic_bytes());
}

// ---- lives of memory

// Accesses of few bytes, and blocks and sets that begin and end among them, of odd sizes and often
// in a part of others.
rc::Gen<ThreadRecord> any_of_a_life() {
  constexpr uint64_t kMiddle = 0x40000 + kSurveyPage;
  const auto number = [](uint32_t end) { return rc::gen::inRange<uint32_t>(0, end); };
  return rc::gen::map(
      rc::gen::tuple(number(3), number(20), number(16), number(4), number(40)),
      [](const std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>& numbers) {
        const auto [thread, what, word, at, many] = numbers;
        const uint64_t address = kMiddle - 64 + uint64_t{word} * 8;
        const bool write = what % 2 == 0;
        const auto record = [&](Kind kind, uint64_t place, uint32_t size, uint32_t upper) {
          return ThreadRecord{thread, Record::make(kind, place, size, 9, upper)};
        };
        if (what < 4) return record(write ? Kind::write : Kind::read, address + at, 1U << at, 0);
        if (what < 7) return record(write ? Kind::write_range : Kind::read_range, address, 0, many);
        if (what < 8) return record(Kind::read_strided, address, 1, Record::strided(many, 3));
        if (what < 12) return record(Kind::alloc, address, 0, many == 39 ? 70'001 : many);
        if (what < 16) return ThreadRecord{thread, Record::make(Kind::free, address, 0, at, 0)};
        if (what < 18) return record(Kind::operand, many, 0, 0);
        return record(Kind::atomic_set, address + at, 0, 0);
      });
}

// What the records say of each byte, by their definition.
class Lives {
 public:
  // The bytes that a record accesses, each with the number of its life.
  using Bytes = std::set<std::pair<uint64_t, uint32_t>>;

  Bytes add(const ThreadRecord& one) {
    const Record& record = one.record;
    const uint64_t address = record.address();
    Bytes bytes;
    if (record.kind() == Kind::alloc) {
      const uint64_t given = whole_words(allocated_bytes(record, operands_[one.thread]));
      end_blocks(address, given);
      blocks_[address] = given;
      begin(address, given);
    } else if (record.kind() == Kind::atomic_set) {
      begin(address, operands_[one.thread]);
    } else if (record.kind() == Kind::operand) {
      operands_[one.thread] = address;
    } else if (record.kind() == Kind::free) {
      if (blocks_.contains(address)) bytes = free(address, record.site() != 0);
    } else if (record.kind() == Kind::read_strided) {
      for (uint64_t i = 0; i < record.elements(); ++i) add(bytes, address + i * 3, 1);
    } else {
      add(bytes, address, record.size() != 0 ? record.size() : record.upper());
    }
    return bytes;
  }

 private:
  void add(Bytes& bytes, uint64_t address, uint64_t count) {
    for (uint64_t at = address; at < address + count; ++at) bytes.emplace(at, lives_[at]);
  }
  void begin(uint64_t address, uint64_t bytes) {
    for (uint64_t at = address; at < address + bytes; ++at) ++lives_[at];
  }
  Bytes free(uint64_t address, bool is_seen) {
    const uint64_t bytes = blocks_[address];
    blocks_.erase(address);
    Bytes written;
    if (is_seen) add(written, address, bytes);
    if (!is_seen || bytes > kLargestKeptBlock) begin(address, bytes);
    return written;
  }
  // Of what is in these bytes, only what is in front of them can still be given back.
  void end_blocks(uint64_t first, uint64_t bytes) {
    const uint64_t end = first + std::max(bytes, uint64_t{1});
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      if (block->first < first) {
        block->second = std::min(block->second, first - block->first);
      } else if (block->first < end) {
        block = blocks_.erase(block);
        continue;
      }
      ++block;
    }
  }

  std::map<uint64_t, uint32_t> lives_;   // by byte
  std::map<uint64_t, uint64_t> blocks_;  // that can be given back: from addresses to bytes
  std::map<uint32_t, uint64_t> operands_;
};

template <typename T>
bool meet(const std::set<T>& a, const std::set<T>& b) {
  return std::any_of(a.begin(), a.end(), [&](const T& one) { return b.contains(one); });
}

std::set<LocationId> locations_of(const std::vector<Event>& events) {
  std::set<LocationId> locations;
  for (const Event& event : events) {
    RC_ASSERT(locations.insert(event.object).second);  // one event for each
  }
  return locations;
}

bool is_write(const Record& record) {
  return record.kind() == Kind::write || record.kind() == Kind::write_range;
}

RC_GTEST_PROP(MemorySurvey, AccessesAreOfACommonLocationWhereTheyMeetInOneLife, (bool all)) {
  const auto records =
      *rc::gen::container<std::vector<ThreadRecord>>(any_of_a_life()).as("records");
  RecordedProcess process(records, all);
  const std::vector<std::vector<Event>> events = process.events();
  Lives lives;
  std::vector<Lives::Bytes> bytes;
  std::vector<std::set<LocationId>> locations;
  for (size_t i = 0; i < records.size(); ++i) {
    bytes.push_back(lives.add(records[i]));
    locations.push_back(locations_of(events[i]));
    for (size_t j = 0; j < i; ++j) {
      const bool is_common = meet(locations[i], locations[j]);
      const bool may_be = meet(bytes[i], bytes[j]);
      RC_ASSERT(!is_common || may_be);
      // What gives a block back is left out for a location that the thread has used last.
      const Record& first = records[j].record;
      const Record& second = records[i].record;
      if (first.kind() == Kind::free || second.kind() == Kind::free) continue;
      const bool clash =
          records[i].thread != records[j].thread && (is_write(first) || is_write(second));
      RC_ASSERT(is_common || !may_be || !(all || clash));
    }
  }
}

}  // namespace
}  // namespace foretrace::testing
