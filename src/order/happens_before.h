// The happens-before order of a trace (paper 000, Definitions 2 and 3), extended
// to every operation that Foretrace knows.
#pragma once

#include <memory>
#include <vector>

#include "order/vector_clock.h"
#include "trace/event.h"

namespace foretrace {

// Follows a well-formed stream of events and knows, at each point, which past
// events happen before the next event of each thread. The edges, each from the
// earlier to the later event in the trace:
//   program order; rel or the start of a wait -> acq, racq or the end of a wait
//   of that lock; rrel -> acq or the end of a wait; fork -> the thread's events;
//   the thread's events -> join; notify -> the end of a later-ending wait on the
//   lock; vwr or vrmw -> vrd or vrmw of that location; and from all arrivals at
//   a barrier to what each of the threads does next, where one generation of a
//   barrier is the arrivals before the first thread goes on.
// There is no edge between two reads of a volatile, nor from a read to a write
// or from a write to a plain write of it: they do not synchronise.
class HappensBefore {
 public:
  // Call for every event that is not an access, in trace order (others are
  // ignored), after resume() if the event has `resumes` set.
  void advance(const Event& event);
  // The thread's wait or barrier is over.
  void resume(ThreadId thread);
  // What the thread knows of other threads' notifies when its wait is over, but
  // not yet of who held the lock meanwhile: for those who ask what it knew just
  // before it took the lock back. To be called before resume().
  void hear_notifies(ThreadId thread);

  // Lets the thread's clock leap to `clock`, unless it is there already: so clocks
  // can count in events of the trace. For the thread of every event from which an
  // edge leads, before advance().
  void leap(ThreadId thread, uint64_t clock);

  // Events of `thread` between two of its outgoing edges have the same epoch.
  Epoch epoch(ThreadId thread) {
    if (thread >= threads_.size()) add_thread(thread);
    return threads_[thread].epoch;
  }
  // Whether an event with epoch `past` happens before `thread`'s next event (or
  // is by the same thread).
  bool ordered(Epoch past, ThreadId thread) {
    if (thread >= threads_.size()) add_thread(thread);
    return past.clock() <= threads_[thread].clock.get(past.thread());
  }
  const VectorClock& clock(ThreadId thread) {
    if (thread >= threads_.size()) add_thread(thread);
    return threads_[thread].clock;
  }

 private:
  struct BarrierGeneration {
    VectorClock clock;
    bool open = true;  // nobody has gone on yet
  };
  struct Thread {
    Epoch epoch;
    VectorClock clock;  // its own component is epoch.clock()
    // What to join when the thread resumes.
    bool waiting = false;
    LockId wait_lock = 0;
    std::shared_ptr<BarrierGeneration> barrier;
  };
  struct Lock {
    VectorClock released;         // by exclusive holders
    VectorClock reader_released;  // by readers since then
    VectorClock notified;
  };

  void add_thread(ThreadId thread);
  Thread& thread(ThreadId id) {
    if (id >= threads_.size()) add_thread(id);
    return threads_[id];
  }
  Lock& lock(LockId id);
  VectorClock& written(LocationId id);
  void tick(const Thread& thread);  // after an outgoing edge
  void arrive_at_barrier(const Event& event, Thread& thread);

  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::vector<VectorClock> written_;  // by volatile location: vwr and vrmw so far
  std::vector<std::shared_ptr<BarrierGeneration>> barriers_;
};

}  // namespace foretrace
