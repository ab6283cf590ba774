// The rules of SideTrack: paper 000, Figure 20.3.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/open_units.h"
#include "analyses/sidetrack/sections.h"
#include "base/hash.h"
#include "order/happens_before.h"
#include "order/lockset.h"
#include "trace/event.h"

namespace foretrace::sidetrack {

// Where the culprit acquire was: before, in or after the vulnerable window.
enum class ErrorKind : uint8_t { before, in, after };
std::string_view name_of(ErrorKind kind);

struct AtomicityError {
  ErrorKind kind;
  LockId lock;
  Window window;
  Acquire culprit;
};

// Follows a well-formed stream of events and tells, at each acquire, which errors
// the rules see. The analysis state of the paper is spread out like this: C is
// the happens-before order; A and R are the latest sections of a lock, V its
// latest windows; H and I are what each thread has acquired in its units.
//
// Beyond the paper:
//  - Units nest. The rules hold for each open unit as if it were the only one.
//    A window is two consecutive acquires, and the units that contain both are
//    to blame. Where the first acquire of a lock in a unit may have a culprit
//    before it, the windows that begin there and end later in that unit may, too.
//  - Locks for reading: the culprit must conflict with both acquires of the
//    window, so one of two acquires for reading does not harm the other.
//  - The end of a wait is an acquire of its lock. What notifies, volatile
//    accesses and barriers order stays ordered in every schedule (hard edges):
//    for a wait, what its notifies bring is known before it takes the lock back.
class Rules {
 public:
  using Report = std::function<void(const AtomicityError&)>;
  explicit Rules(Report report) : report_(std::move(report)), held_(locksets_) {}

  // For every event with `resumes`, before step().
  void resume(uint64_t index, const Event& event);
  // For every event that is not an access.
  void step(uint64_t index, const Event& event);

  const LocksetTable& locksets() const { return locksets_; }

 private:
  // The first acquire of a lock in some unit, and an acquire before it that could
  // have come after it: the lock is in I of that unit and those within it.
  struct Interference {
    uint64_t unit;  // the index of its begin
    Acquire first;
    Acquire culprit;
  };
  // A lock that a thread has acquired in its units: an element of H.
  struct InUnits {
    Acquire last;
    std::vector<Interference> interferences;  // of units outside in
  };
  struct Lock {
    Latest<Section> sections;
    Latest<Window> windows;
    Latest<Window> exclusive_windows;  // those between two acquires for writing
  };
  struct Thread {
    OpenUnits units;
    tsl::robin_map<LockId, InUnits, IntegerHash> in_units;
    std::vector<LockId> acquired;  // the keys of in_units
    bool waiting = false;
    LockId wait_lock = 0;
    uint64_t resumed_at = UINT64_MAX;  // the event that ended its last wait
  };

  Acquire acquire_at(uint64_t index, const Event& event, bool shared);
  void acquire(LockId lock, const Acquire& acquire);
  void acquire_in_units(LockId lock, Lock& state, const Acquire& acquire);
  void check_before(LockId lock, InUnits& in_units, const Acquire& acquire, OpenUnits& units);
  void check_in(LockId lock, Lock& state, const Window& window);
  void check_after(LockId lock, Lock& state, const Acquire& acquire);
  void enter(uint64_t first_unit, Lock& state, InUnits& in_units, const Acquire& acquire);
  void release(const Event& event);
  void end_unit(Thread& thread);

  Report report_;
  HappensBefore order_;
  LocksetTable locksets_;
  HeldLocks held_;
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
};

}  // namespace foretrace::sidetrack
