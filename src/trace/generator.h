// Synthetic traces: seeded, of any length, in memory that does not depend on it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "trace/batch.h"
#include "trace/generator_schedule.h"
#include "trace/symbols.h"

namespace foretrace {

struct GeneratorOptions {
  uint64_t events = 1'000'000;  // exactly so many, forks and joins and all
  uint64_t threads = 8;
  uint64_t locks = 16;
  uint64_t locations = 10'000;
  uint64_t nesting = 2;  // of critical sections, at most
  double guarded = 0.9;  // share of accesses that are made under the location's lock
  double reads = 0.7;    // share of accesses that are reads
  ForkShape shape = ForkShape::flat;
  uint64_t races = 0;
  uint64_t seed = 1;
  uint64_t units = 0;  // labels of units; 0: no units
  uint64_t sites = 0;  // 0: no sites
};

// splitmix64: small, fast, and good enough for this.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // Less than `count`, which is not 0.
  uint32_t below(uint32_t count) { return scaled(next(), count); }
  // The high half of `random`, scaled to less than `count`.
  static uint32_t scaled(uint64_t random, uint32_t count) {
    return static_cast<uint32_t>(((random >> 32) * count) >> 32);
  }

 private:
  uint64_t state_;
};

// Numbers for names such as x17, given out in the order of first use, as a
// reader of the trace would.
class NumberedNames {
 public:
  NumberedNames(NameTable& table, std::string prefix, uint64_t first, uint64_t count)
      : table_(table), prefix_(std::move(prefix)), first_(first), ids_(count) {}

  uint32_t operator[](uint32_t number) {
    const uint32_t id = ids_[number];
    return id != 0 ? id - 1 : add(number);
  }

 private:
  uint32_t add(uint32_t number);

  NameTable& table_;
  const std::string prefix_;
  const uint64_t first_;
  std::vector<uint32_t> ids_;  // plus one; 0: not used yet
};

// Threads that run in turns, each some events long. The trace is well-formed,
// and happens-before orders all clashes in it but the planted ones, because
//  - a guarded location (x0 ...) has one lock and is accessed only under it;
//  - of the other locations, some belong to one thread each, and the rest are
//    only read;
//  - a race k is two accesses of the location race<k>, which has no others, in
//    adjacent events of two threads that hold no lock; the second one writes.
// Locks are taken in the order of their numbers, so there is no deadlock either.
// The same options give the same trace, event for event.
class TraceGenerator {
 public:
  static Result<void> check(const GeneratorOptions& options);

  // `options` must have passed check().
  explicit TraceGenerator(const GeneratorOptions& options);
  TraceGenerator(const TraceGenerator&) = delete;
  TraceGenerator& operator=(const TraceGenerator&) = delete;

  // Replaces the content of `buffer` by the next events, about kBatchEvents of
  // them. An empty buffer is the end of the trace.
  void next(EventBuffer& buffer);

  const Symbols& symbols() const { return symbols_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Thread {
    uint32_t innermost = kNone;  // of the locks that it holds
    uint32_t depth = 0;          // how many those are
    uint32_t unit = kNone;       // that it is in
    bool blocked = false;        // wants to enter a critical section
  };
  struct Lock {
    uint32_t owner = kNone;
    uint32_t outer = kNone;  // the lock that the owner acquired before this one
  };

  uint64_t left() const { return free_ - used_; }
  void emit(uint32_t thread, Op op, uint32_t object);
  void step();
  void step_outside(uint32_t thread, uint64_t random);
  void step_inside(uint32_t thread, uint64_t random);
  bool step_unit(uint32_t thread);
  void acquire(uint32_t thread, uint32_t lock);
  void release(uint32_t thread);
  void access(uint32_t thread, Op op, uint32_t location);
  void access_guarded(uint32_t thread, uint64_t random);
  void access_unguarded(uint32_t thread);
  void close(uint32_t thread, bool unit);
  void pick_thread();

  bool do_what_is_due();
  void plant_race();
  void find_next_due();

  const GeneratorOptions options_;
  Symbols symbols_;
  NumberedNames thread_names_;
  NumberedNames lock_names_;
  NumberedNames location_names_;
  NumberedNames label_names_;
  std::vector<SiteId> site_ids_;  // 0: not used yet

  // How the locations are shared out: first the guarded ones, number n by lock
  // n modulo locks, then the owned ones, by thread in the same way, then those
  // that are only read.
  uint32_t guarded_ = 0;
  uint32_t owned_ = 0;
  uint32_t read_only_ = 0;
  uint64_t enter_ = 0;  // chances, of 2^32
  uint64_t read_ = 0;

  // Events that must come whatever happens (forks, joins, planted races) are set
  // aside; of the free ones an acquire uses two, for its release. So the trace
  // can be completed at any point, and ends after just the right number.
  const uint64_t free_;
  uint64_t used_ = 0;
  uint64_t due_ = 0;  // the value of used_ at which the schedule wants something

  Random random_;
  ThreadSchedule schedule_;
  uint64_t races_planted_ = 0;
  uint32_t closed_ = 0;  // at the end: threads that have released everything
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  uint32_t current_ = 0;
  uint32_t run_left_ = 0;  // steps until another thread's turn
  EventBuffer* buffer_ = nullptr;
  uint64_t emitted_ = 0;
};

}  // namespace foretrace
