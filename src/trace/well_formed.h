// Checks that a stream of events is one that a program can produce, and makes
// it easier to analyse. Definition 1 of paper 000, and the same for the other
// operations.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

struct WellFormedOptions {
  bool lenient = false;   // drop events that break a rule instead of refusing the trace
  bool unnested = false;  // accept critical sections that overlap without nesting
};

// A stage between a reader and the analyses. After check(), a batch keeps these
// promises, on which analyses may rely:
//  - a lock has at most one holder, or only reader holders; a rel or rrel is of
//    a lock that its thread holds in that way; sections nest unless `unnested`;
//  - re-entrant acquires and their releases are Op::skip (paper 000, chapter 7,
//    footnote 2), and so are the events that `lenient` dropped;
//  - a thread has no event before its fork, which is unique, or after its join;
//  - units nest, and each end has its beg;
//  - a wait is by a holder of the lock; the thread's next event has `resumes`
//    set, and from then on the thread holds the lock again (if that event is an
//    acq of the same lock, it is the re-acquire itself). The first event of a
//    thread after a barrier has `resumes` set as well;
//  - a read with a value has that of the last write, or 0 before any write.
// A dropped event is as if it had never been there.
class WellFormed {
 public:
  // What can be wrong with an event.
  enum class Fault {
    release_without_acquire,
    acquire_of_held_lock,
    bad_nesting,
    before_fork,
    after_join,
    join_of_running,
    unbalanced_unit,
    wrong_value,
    wait_without_lock,
  };
  static constexpr size_t kFaultCount = 9;

  WellFormed(const Symbols& symbols, std::string source_name, WellFormedOptions options);

  Result<void> check(EventBuffer& buffer);

  uint64_t reentrant_count() const { return reentrant_; }
  uint64_t dropped_count() const { return dropped_; }
  // What happened, for the user: re-entrant acquires that were filtered, events
  // that were dropped (by fault, and the first ones each with its place).
  std::vector<std::string> notes() const;

 private:
  struct HeldLock {
    LockId lock;
    bool shared;
    uint32_t depth;  // of re-entrant acquires; 1 for a plain one
  };
  // `resumed`: it went on in an event that became Op::skip, so the next event is
  // to be marked.
  enum class Pause : uint8_t { none, wait, barrier, resumed };
  struct Thread {
    bool forked = false;
    Pause pause = Pause::none;
    Pause last_pause = Pause::none;  // what the event with `resumes` ended
    HeldLock waiting_for = {};       // with Pause::wait: the lock to get back
    uint64_t first_index = 0;        // of its first event
    std::vector<HeldLock> held;      // in the order of acquisition
    std::vector<uint32_t> units;     // labels, outermost first
  };
  struct Lock {
    ThreadId owner = kNobody;  // exclusive holder
    uint32_t readers = 0;
  };
  static constexpr ThreadId kNobody = UINT32_MAX;
  // Whether a thread's next event needs more than the rules for its operation.
  enum Attention : uint8_t { kNone = 0, kUnseen = 1, kPaused = 2, kJoined = 4 };

  // Whether nothing is wrong; else fault_ and fault_text_ say what is, without the place. They
  // may turn the event into Op::skip.
  bool check_thread(Event& event, uint64_t index);
  bool check_resume(Event& event, Thread& thread);
  void undo_resume(const Event& event);
  void pause(ThreadId thread, Pause pause);
  bool check_operation(Event& event);
  bool check_acquire(Event& event, bool shared);
  bool check_release(Event& event, bool shared);
  bool check_fork(const Event& event);
  bool check_join(const Event& event);
  bool check_unit_end(const Event& event);
  bool check_wait(const Event& event);
  bool check_value(const Event& event, const EventBatch& batch);
  bool fault(Fault kind, std::string text);

  Result<void> handle_fault(EventBuffer& buffer, size_t place);
  void grow_tables();
  void start_values(bool from_the_start);
  std::string place_of(const EventBuffer& buffer, size_t place) const;
  std::string holder_of(LockId lock) const;
  std::string thread_name(ThreadId id) const;
  std::string lock_name(LockId id) const;

  const Symbols& symbols_;
  const std::string source_name_;
  const WellFormedOptions options_;
  std::vector<uint8_t> attention_;  // by thread
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;

  // Values, once any event has one: what each location holds, if known.
  bool values_ = false;
  enum class Known : uint8_t { initial, yes, no };
  std::vector<Known> value_known_;
  std::vector<int64_t> value_;

  Fault fault_ = {};
  std::string fault_text_;
  uint64_t reentrant_ = 0;
  uint64_t dropped_ = 0;
  std::array<uint64_t, kFaultCount> dropped_by_fault_ = {};
  std::vector<std::string> first_dropped_;
};

}  // namespace foretrace
