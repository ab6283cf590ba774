// What must come before an event in every correct reordering, as far as that
// follows without a look at locks.
#pragma once

#include <memory>
#include <vector>

#include "order/vector_clock.h"
#include "trace/event.h"

namespace foretrace {

// Follows a well-formed stream of events and knows, at each point, which past
// events the next event of each thread needs (see `Model`): program order, and
//   fork -> the thread's events; the thread's events -> join; all arrivals at a
//   barrier -> what each of the threads does next; a notify during a wait -> the
//   end of the wait; a write -> a read, volatile or not, that saw it.
// An access that is needed by what another access's thread did before cannot race
// with it. Clocks count in events of the trace.
class NeededBefore {
 public:
  // The thread's wait or barrier is over.
  void resume(ThreadId thread);
  // For every event, in trace order, after resume() if the event has `resumes` set.
  void advance(uint64_t index, const Event& event);

  static Epoch epoch(uint64_t index, ThreadId thread) { return {thread, index + 1}; }
  // Whether the past event, of another thread, is needed by what `thread` does next.
  bool ordered(Epoch past, ThreadId thread) {
    return past.clock() <= known(thread).get(past.thread());
  }

 private:
  // An event and what it needs.
  struct Point {
    Epoch epoch;
    VectorClock past;
  };
  struct Wait {
    ThreadId thread = 0;
    VectorClock notified;  // by those that came since it began
  };
  struct Generation {
    VectorClock arrived;
    bool open = true;  // nobody has gone on yet
  };
  struct Thread {
    VectorClock known;  // of other threads
    bool waiting = false;
    LockId wait_lock = 0;
    std::shared_ptr<Generation> barrier;
  };

  VectorClock& known(ThreadId thread);
  Point point(uint64_t index, ThreadId thread) { return {epoch(index, thread), known(thread)}; }
  static void add(VectorClock& clock, const Point& point);
  void read(const Event& event);
  void end_wait(ThreadId thread, LockId lock);
  void notify(uint64_t index, const Event& event);
  void arrive(uint64_t index, const Event& event);

  std::vector<Thread> threads_;
  std::vector<Point> writes_;             // by location: the last one
  std::vector<std::vector<Wait>> waits_;  // by lock: those that have not ended
  std::vector<std::shared_ptr<Generation>> barriers_;
};

}  // namespace foretrace
