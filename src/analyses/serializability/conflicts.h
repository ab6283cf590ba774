// From events to edges of the transactional happens-before graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analyses/open_units.h"
#include "analyses/serializability/unit_graph.h"
#include "trace/event.h"

namespace foretrace::serializability {

// A cycle of units, found when its last edge came.
struct Violation {
  Cycle cycle;             // see UnitGraph
  const OpenUnits& units;  // those that the thread of its last event is in
};

// Follows a well-formed stream of events and finds, as soon as there is one, the
// cycle that makes the trace not conflict-serializable. What conflicts, besides
// the events of one thread, each pair being an edge from the earlier to the later
// event:
//   accesses of one location, volatile or not, one of which writes; operations on
//   one lock, unless both are for reading (a wait is a release, its end an
//   acquire); fork, and join, with the events of their thread; a wait with the
//   notifies during it, and those with its end; the arrivals at a barrier with
//   what its threads do next.
// Of these only the latest ones are edges here: the others follow from them.
//
// Units within a unit are part of it. A unit that is not over counts as far as it
// got. One cycle is reported for each unit at most: that which comes first.
class Conflicts {
 public:
  using Report = std::function<void(const Violation&)>;
  explicit Conflicts(Report report) : report_(std::move(report)) {}

  void process(uint64_t index, const Event& event);
  // Call some events ahead of process().
  void prefetch(const Event& event) const {
    if (space_of(event.op()) == Space::location && event.object < locations_.size()) {
      __builtin_prefetch(&locations_[event.object], 1);
    }
  }
  size_t live_nodes() const { return graph_.live_count(); }

 private:
  // One cache line. Of occurrences whose nodes are gone nothing is known.
  struct alignas(64) Location {
    Occurrence write;
    Occurrence read;  // since then; with several readers, index is a place in readers_
  };
  struct Lock {
    Occurrence release;                       // by who held it for writing
    std::vector<Occurrence> reader_releases;  // since then, by thread
    std::vector<ThreadId> waiters;
  };
  struct Generation {
    std::vector<Occurrence> arrivals;
    bool open = true;  // nobody has gone on yet
  };
  struct Thread {
    NodeId node;  // the unit that it is in, or what it last did outside of units
    uint32_t label = kNoLabel;
    bool violated = false;  // the unit: it has been reported
    bool started = false;
    bool waiting = false;
    LockId wait_lock = 0;
    uint64_t node_made = UINT64_MAX;  // outside of units: the first event in `node`
    Occurrence fork;
    Occurrence last;
    Occurrence wait;
    std::vector<Occurrence> notifies;  // during its wait
    std::shared_ptr<Generation> barrier;
    OpenUnits units;
  };

  void start(Thread& thread, Occurrence& now);
  void resume(Thread& thread, Occurrence& now);
  void operate(Thread& thread, Occurrence& now);
  void read(Thread& thread, Occurrence& now);
  void write(Thread& thread, Occurrence& now);
  void acquire(LockId lock, bool shared, Thread& thread, Occurrence& now);
  void release(Thread& thread, const Occurrence& now);
  void join(Thread& thread, Occurrence& now);
  void begin_wait(Thread& thread, const Occurrence& now);
  void notify(Thread& thread, Occurrence& now);
  void arrive(Thread& thread, const Occurrence& now);
  void begin_unit(Thread& thread, Occurrence& now);
  void end_unit(Thread& thread);

  // The edge from `from` to `now`.
  void follow(const Occurrence& from, Thread& thread, Occurrence& now) {
    if (from.node != now.node && graph_.is_live(from.node)) follow_live(from, thread, now);
  }
  void follow_live(const Occurrence& from, Thread& thread, Occurrence& now);
  void remember_reader(Location& location, const Occurrence& now);
  void put(std::vector<Occurrence>& by_thread, const Occurrence& now);
  void forget_readers(Location& location);
  void forget_unreachable();

  Report report_;
  UnitGraph graph_;
  std::vector<Location> locations_;
  std::vector<Lock> locks_;
  std::vector<std::shared_ptr<Generation>> barriers_;
  std::vector<Thread> threads_;
  std::vector<std::vector<Occurrence>> readers_;  // of locations with several, by thread
  std::vector<uint64_t> free_readers_;            // places in readers_
  size_t sweep_at_ = 1 << 14;                     // live nodes
};

}  // namespace foretrace::serializability
