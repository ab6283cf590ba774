// A trace as the search for correct reorderings sees it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "trace/stream.h"

namespace foretrace {

// A step of a thread: its place among the steps of that thread.
struct Step {
  ThreadId thread = 0;
  uint32_t place = 0;
  bool operator==(const Step&) const = default;
};
inline constexpr Step kNoStep = {std::numeric_limits<ThreadId>::max(), 0};

// The steps of every thread and what binds them to each other (Definition 7 of
// paper 000 with locks, and the operations beyond the paper). Built once for a
// trace; read by any number of searches at the same time.
//
// An event is a step. An event that ends a wait is two: first the lock is taken
// back, then comes the event itself. Events that mean nothing are no steps.
//
// What binds, for a set of steps that is to be put into another order:
//  - program order, and every earlier step of the thread belongs to the set;
//  - `needs`: these steps come before, and belong to the set: the fork of a
//    thread for its first step; all of a thread's steps for its join; for the
//    end of a wait the notifies that came during it; the arrivals of its
//    generation for what a thread does after a barrier, and those of the
//    generation before for an arrival;
//  - the notifies that the end of a wait needs come during the wait. (As long as a
//    wait has not ended nobody has to have notified it: a notify may come before the
//    wait begins, and be heard by others only.)
//  - reads-from: a read sees the write that it saw in the trace;
//  - sections of one lock, one of them exclusive, do not overlap.
class Model {
 public:
  static constexpr uint32_t kNever = std::numeric_limits<uint32_t>::max();

  // A critical section. A wait ends one, and taking the lock back begins one.
  struct Section {
    uint32_t begin;  // the place of the acquire
    uint32_t end;    // the place of the release; kNever: held at the end of the trace
    bool shared;
  };
  struct ThreadSections {
    ThreadId thread;
    std::vector<Section> sections;  // in program order
  };
  struct ThreadWrites {
    ThreadId thread;
    std::vector<uint32_t> places;  // in program order
  };
  struct Need {
    uint32_t place;  // the step of this thread that needs
    Step step;       // the step that it needs
    bool heard;      // that is a notify, and comes behind the step in front of this one: the wait
  };
  // What the first steps of a thread need of another thread, all together: its
  // first `count` steps as soon as the step at `place` is one of them. Both grow.
  struct Rise {
    uint32_t place;
    uint32_t count;
  };
  struct ThreadNeeds {
    ThreadId thread;  // the other one
    std::vector<Rise> rises;

    // How many steps of it the first `length` steps need.
    uint32_t of_first(uint32_t length) const;
  };
  enum class Kind : uint8_t { other, read, write, read_write, acquire, release };
  struct Node {
    uint64_t index;    // of the event
    uint32_t object;   // the location or lock, by kind
    uint32_t partner;  // of an acquire: the place of its release, or kNever
    Kind kind;
    bool shared;      // of an acquire: for reading
    bool takes_back;  // the first step of an event that ends a wait
    Step writer;      // for reads: what it reads from; kNoStep: the initial value
  };

  explicit Model(const Trace& trace);

  size_t thread_count() const { return threads_.size(); }
  const std::vector<Node>& nodes(ThreadId thread) const { return threads_[thread]; }
  const Node& node(Step step) const { return threads_[step.thread][step.place]; }
  const std::vector<Need>& needs(ThreadId thread) const { return needs_[thread]; }
  // Those of the thread's steps from `begin` up to `end`.
  std::span<const Need> needs(ThreadId thread, uint32_t begin, uint32_t end) const;
  // By needs and by reads-from, directly: not what the needed steps need.
  const std::vector<ThreadNeeds>& needs_of_threads(ThreadId thread) const {
    return thread_needs_[thread];
  }
  // The acquires of the sections that are open after the thread's first `length`
  // steps, the innermost first.
  std::vector<uint32_t> open_acquires(ThreadId thread, uint32_t length) const;
  const std::vector<ThreadSections>& sections(LockId lock) const { return sections_[lock]; }
  const std::vector<ThreadWrites>& writes(LocationId location) const { return writes_[location]; }
  size_t lock_count() const { return sections_.size(); }
  size_t location_count() const { return writes_.size(); }
  // The step of an event; for one that ends a wait, the second of its two.
  Step step_of(uint64_t index) const { return steps_[index]; }

 private:
  friend class ModelBuilder;
  // Lists of open sections that share their ends: after the step at `place` it is
  // the acquire at open_[thread][top], then the one `below` it, and so on.
  struct OpenSection {
    uint32_t acquire;
    uint32_t below;  // kNever: none
  };
  struct OpenSince {
    uint32_t place;
    uint32_t top;  // kNever: none
  };
  std::vector<std::vector<Node>> threads_;
  std::vector<std::vector<Need>> needs_;                // by thread, sorted by place
  std::vector<std::vector<ThreadNeeds>> thread_needs_;  // by thread
  std::vector<std::vector<OpenSection>> open_;          // by thread
  std::vector<std::vector<OpenSince>> open_since_;      // by thread, sorted by place
  std::vector<std::vector<ThreadSections>> sections_;   // by lock
  std::vector<std::vector<ThreadWrites>> writes_;       // by location
  std::vector<Step> steps_;                             // by event index
};

}  // namespace foretrace
