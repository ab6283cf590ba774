// What `foretrace info` knows about a trace. Memory is bounded by the names in
// the trace, not by its events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/thread_sets.h"
#include "cli/timeline.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

struct ThreadStatistics {
  // A fork or join: by which thread, and at which event.
  struct Change {
    ThreadId by;
    uint64_t index;
  };
  uint64_t events = 0;
  std::optional<Change> forked;
  std::optional<Change> joined;
};

struct LockStatistics {
  uint64_t acquires = 0;      // for reading too
  uint64_t contended = 0;     // acquires whose previous holder was another thread
  uint64_t longest_hold = 0;  // in events, of all threads
};

struct LocationStatistics {
  uint64_t reads = 0;
  uint64_t writes = 0;  // an atomic read-modify-write counts as one of these
};

// The deepest nesting, and where it was reached first.
struct Depth {
  uint64_t depth = 0;
  ThreadId thread = 0;
  uint64_t index = 0;
};

class TraceStatistics {
 public:
  explicit TraceStatistics(const Symbols& symbols) : symbols_(symbols) {}

  // The batches of a well-formed trace (see WellFormed), in order.
  void process(const EventBatch& batch);

  uint64_t event_count() const { return event_count_; }
  uint64_t count(Op op) const { return operations_[static_cast<size_t>(op)]; }
  const Depth& deepest_locks() const { return deepest_locks_; }
  const Depth& deepest_units() const { return deepest_units_; }

  // By number, as in Symbols.
  const std::vector<ThreadStatistics>& threads() const { return threads_; }
  const std::vector<LockStatistics>& locks() const { return locks_; }
  const std::vector<LocationStatistics>& locations() const { return locations_; }
  const ThreadSets& lock_threads() const { return lock_threads_; }
  const ThreadSets& location_threads() const { return location_threads_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  struct HeldLock {
    LockId lock;
    uint64_t since;
  };
  struct Progress {                 // of a thread
    std::vector<HeldLock> held;     // in the order of acquisition
    std::optional<LockId> waiting;  // for this lock, in a wait
    bool at_barrier = false;
    uint32_t units = 0;  // how many it is inside
  };
  static constexpr ThreadId kNobody = UINT32_MAX;

  void grow_tables();
  void process(const Event& event, uint64_t index);
  void resume(const Event& event, Progress& progress, uint64_t index);
  void process_synchronisation(const Event& event, Progress& progress, uint64_t index);
  void acquire(const Event& event, Progress& progress, uint64_t index);
  void drop(Progress& progress, LockId lock, uint64_t index);

  const Symbols& symbols_;
  uint64_t event_count_ = 0;
  std::array<uint64_t, kOpCount> operations_ = {};
  Depth deepest_locks_;
  Depth deepest_units_;
  std::vector<ThreadStatistics> threads_;
  std::vector<Progress> progress_;  // by thread
  std::vector<LockStatistics> locks_;
  std::vector<ThreadId> last_holder_;  // by lock
  std::vector<LocationStatistics> locations_;
  ThreadSets lock_threads_;
  ThreadSets location_threads_;
  Timeline timeline_;
};

}  // namespace foretrace
