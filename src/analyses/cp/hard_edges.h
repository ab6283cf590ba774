// The synchronisation that is explicit communication, and therefore always a
// causally-precedes edge: everything that happens-before knows but locks.
#pragma once

#include <memory>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "order/vector_clock.h"
#include "trace/event.h"

namespace foretrace::cp {

// The join of clocks that threads have put in, without those of any one thread.
class ClockOfOthers {
 public:
  // A thread's clocks must grow from one call to the next.
  void add(ThreadId thread, const VectorClock& clock);
  void join_into(VectorClock& target, ThreadId except) const;

 private:
  struct Slot {
    ThreadId thread;
    size_t leaf;
  };
  std::vector<Slot>::const_iterator find(ThreadId thread) const;
  void grow();

  std::vector<Slot> slots_;  // by thread
  // A binary tree of joins with a leaf for each thread. [1] is the root, [i] has
  // the children [2i] and [2i + 1], and the leaves come last.
  std::vector<VectorClock> tree_;
  size_t leaves_ = 0;
};

// The hard edges between two threads, each from the earlier to the later event,
// but for fork and join: notify -> the end of a wait on that lock, vwr or vrmw ->
// vrd or vrmw of that location, and the arrivals at a barrier -> what each of
// these threads does next. From a thread to itself they would say no more than
// program order does, but would make all that the thread has learnt through
// locks as hard as they are; so there are none.
//
// `clock` is what happens before the source, and itself; `causes` is what
// causally precedes the target.
class HardEdges {
 public:
  void notify(LockId lock, ThreadId thread, const VectorClock& clock);
  void write(LocationId location, ThreadId thread, const VectorClock& clock);
  void read(LocationId location, ThreadId thread, VectorClock& causes);
  void arrive(uint32_t barrier, ThreadId thread, const VectorClock& clock);
  void wait(LockId lock, ThreadId thread);
  // The thread's wait or barrier is over.
  void resume(ThreadId thread, VectorClock& causes);

 private:
  struct BarrierGeneration {
    ClockOfOthers clock;
    bool open = true;  // nobody has gone on yet
  };
  struct Thread {
    bool waiting = false;
    LockId wait_lock = 0;
    std::shared_ptr<BarrierGeneration> barrier;
  };

  Thread& thread(ThreadId id);

  std::vector<Thread> threads_;
  std::vector<ClockOfOthers> notified_;  // by lock
  tsl::robin_map<LocationId, ClockOfOthers, IntegerHash> written_;
  std::vector<std::shared_ptr<BarrierGeneration>> barriers_;
};

}  // namespace foretrace::cp
