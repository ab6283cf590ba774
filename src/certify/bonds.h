// What a trace says about its events that every reordering must keep.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "base/lists.h"
#include "certify/schedule.h"
#include "trace/stream.h"

namespace foretrace {

inline constexpr uint64_t kNoEvent = UINT64_MAX;

// Knows nothing of models and searches. Everything that is asked about a cut (an
// index for each thread: its events before that) costs a look at each thread, not
// at the events.
class ScheduleBonds {
 public:
  struct Held {
    LockId lock;
    uint64_t acquire;
    bool shared;
  };
  // After this event the thread holds the lock, or no longer.
  struct LockOp {
    uint64_t index = 0;
    LockId lock = 0;
    ThreadId thread = 0;
    enum class Holds : uint8_t { not_at_all, shared, alone } holds = Holds::not_at_all;
    // The thread's last acquires of this lock so far.
    uint64_t last_acquire = kNoEvent;
    uint64_t last_alone = kNoEvent;
  };

  explicit ScheduleBonds(const Trace& trace);

  const Trace& trace() const { return trace_; }
  const std::vector<uint64_t>& events_of(ThreadId thread) const { return threads_[thread]; }
  size_t thread_count() const { return threads_.size(); }
  // kNoEvent: there from the start.
  uint64_t fork_of(ThreadId thread) const { return forks_[thread]; }
  // Events that must come before this one: of waits, notifies and barriers.
  std::span<const uint64_t> after(uint64_t index) const;
  // The lock that the event's thread gets back before it.
  std::optional<LockId> regains(uint64_t index) const;
  // What the read saw; kNoEvent: the initial value.
  uint64_t writer(uint64_t read) const;

  // The last write of the location in the cut, in the order of the trace.
  uint64_t last_write(LocationId location, const Schedule& cut) const;
  // The threads that have the lock at the end of the cut.
  std::vector<LockOp> holders(LockId lock, const Schedule& cut) const;
  // Whether the cut, in the order of the trace, is a correct reordering: it contains
  // all that its events need, and no section that it leaves open has a section of
  // another thread behind it that it excludes.
  bool is_correct(const Schedule& cut) const;

 private:
  struct Rise {
    uint64_t index;   // from this event of a thread on
    uint64_t needed;  // it needs the other thread's events up to this one
  };
  struct Needs {
    ThreadId thread;
    std::vector<Rise> rises;  // both grow
  };
  class Builder;

  std::vector<Held> held_at(ThreadId thread, uint64_t until) const;
  bool is_last(ThreadId thread, const Held& held, const Schedule& cut) const;
  uint64_t last_write_before(LocationId location, const auto& until_of) const;

  const Trace& trace_;
  std::vector<std::vector<uint64_t>> threads_;
  std::vector<uint64_t> forks_;
  std::vector<std::vector<Needs>> needs_;  // by thread
  tsl::robin_map<uint64_t, std::vector<uint64_t>, IntegerHash> after_;
  tsl::robin_map<uint64_t, LockId, IntegerHash> regains_;
  std::vector<std::vector<LockOp>> lock_ops_;         // by thread
  std::vector<std::vector<std::vector<Held>>> held_;  // by thread, after every so many of them
  Lists<uint64_t> writes_;                            // by location, then thread
  Lists<LockOp> ops_of_locks_;                        // by lock, then thread
};

}  // namespace foretrace
