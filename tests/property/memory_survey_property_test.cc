// What a survey of memory leaves out of a trace changes nothing: analyses that say
// so (AnalysisInfo::ignores_ordered_accesses) find the same without it. And where it says that
// nothing may race, nothing does.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "certify/certifier.h"
#include "property/random_trace.h"
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

}  // namespace
}  // namespace foretrace::testing
