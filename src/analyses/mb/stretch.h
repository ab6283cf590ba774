// The adjustable vector clocks of Embracer (paper 000, section 15.1).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "order/vector_clock.h"
#include "trace/event.h"

namespace foretrace::mb {

struct Section;
struct PendingAccess;

// Clocks of the must-before order count in events of the trace: an event's clock
// is its index plus one, so 0 is before everything.
constexpr uint64_t clock_of(uint64_t index) { return index + 1; }

// What a stretch's clock holds for a thread: the clock of that thread's last event
// in the past, and below it, tags of the locks that the thread may hold there.
// Without the tag, no section on the lock is known in part, its acquire but not
// its release. Several locks share a tag.
constexpr uint64_t tag_of(LockId lock) { return uint64_t{1} << lock % 16; }
constexpr uint64_t component(uint64_t clock, uint64_t tags) { return clock << 16 | tags; }
constexpr uint64_t clock_in(uint64_t component) { return component >> 16; }

// A run of events of one thread that have the same past in other threads. All of
// them share this clock. A release-acquire edge that is found late is put into
// the clocks of all stretches after it, so whoever points to a stretch always
// sees the adjusted clock, adjust(k), and there is no list of extra edges.
//
// An acquire, and whatever learns something about another thread, begins a new
// stretch; so an edge that ends in an acquire concerns whole stretches.
using StretchId = uint32_t;  // see StretchPool

struct Stretch {
  // What must come before it, of other threads, as components. The thread's own
  // one means nothing: its own earlier events come before it, that is all.
  VectorClock past;
  uint64_t first = 0;  // the index of its first event
  StretchId id = 0;
  ThreadId thread = 0;
  bool used = false;                 // it is not in the pool
  bool listed = false;               // edges may still change it, or it is its thread's last
  bool marked = false;               // something refers to it; only while garbage is collected
  Section* released = nullptr;       // sections that end here and may still get edges
  PendingAccess* pending = nullptr;  // accesses that wait for its past to be settled
  uint64_t tags = 0;                 // of the locks that it begins with

  // The clock of the last event of another thread in the past.
  uint64_t knows(ThreadId other) const { return clock_in(past.get(other)); }
};

// An event to which an edge may lead back.
struct Point {
  Epoch epoch;  // its thread and clock
  Stretch* stretch = nullptr;
};

// Gives out stretches. They are freed by mark and sweep: the last access of every
// location refers to one, and counting references would cost a cache miss for
// each access.
class StretchPool {
 public:
  Stretch* make(ThreadId thread, uint64_t first, VectorClock past);
  Stretch& operator[](StretchId id) const { return chunks_[id / kChunk][id % kChunk]; }
  // How many there are, and how many were made since the last sweep.
  size_t live() const { return live_; }
  size_t fresh() const { return fresh_; }
  // Frees all that are neither listed nor marked, and takes the marks away.
  void sweep();

 private:
  static constexpr StretchId kChunk = 1024;
  std::vector<std::unique_ptr<Stretch[]>> chunks_;
  std::vector<Stretch*> free_;
  size_t live_ = 0;
  size_t fresh_ = 0;
};

}  // namespace foretrace::mb
