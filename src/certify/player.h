// Plays a set of steps through, one after the other.
#pragma once

#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "certify/partial_order.h"
#include "certify/window.h"
#include "order/model.h"

namespace foretrace {

// At each point the step that comes first in the trace and may be taken is
// taken: what the order puts before it is done, its lock is free, and it does
// not overwrite what a step of the set still has to read. Because the order has
// no cycle, the play can only stop where two sections, or a write and a read,
// that the order leaves open were taken in the wrong order.
//
// The order must be saturated: in particular, reads of the initial value come
// before all writes.
class Player {
 public:
  // Two edges of which one holds in every correct reordering; the play did the
  // second.
  struct Obstacle {
    OrderEdge first;
    OrderEdge second;
  };

  // `locks` are those that the steps acquire.
  Player(const Model& model, const PartialOrder& order, const ReadsFrom& reads_from,
         std::span<const LockId> locks);

  // Whether all steps could be taken; fills schedule(), or else obstacle().
  bool run();
  const std::vector<uint64_t>& schedule() const { return schedule_; }
  const Obstacle& obstacle() const { return obstacle_; }

 private:
  struct LockState {
    std::vector<Step> readers;  // the acquires of those who hold it
    Step owner = kNoStep;
  };

  Step next(ThreadId thread) const { return {thread, done_[thread]}; }
  Step writer_of(Step read) const { return reads_from_.writer_in_window(read); }
  uint32_t& pending_reads_of(Step writer, LocationId location);
  void hold_from_the_past(LockId lock);
  void hold(Step acquire);
  // Puts the thread where its next step belongs: to those that may go on, those
  // that wait for another thread, or those that something stands in the way of.
  void place(ThreadId thread);
  bool is_free(Step acquire);
  bool may_write(Step step);
  void take(Step step);
  bool schedule_done() const;
  Obstacle obstacle_of(Step step);

  const Model& model_;
  const PartialOrder& order_;
  const ReadsFrom& reads_from_;
  // Of a location that the steps use.
  struct LocationState {
    Step last_write = kNoStep;
    uint32_t pending_initial = 0;
  };
  template <typename State>
  using ByObject = tsl::robin_map<uint32_t, State, IntegerHash>;

  std::vector<uint32_t> done_;  // by thread
  ByObject<LockState> locks_;
  ByObject<LocationState> locations_;
  // How many steps of the set still have to read what a write wrote: by thread
  // and place in the window (the initial value: see LocationState).
  std::vector<std::vector<uint32_t>> pending_;

  using Ready = std::pair<uint64_t, ThreadId>;  // by index in the trace
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready_;
  std::vector<std::vector<ThreadId>> waiting_;  // by the thread that is waited for
  std::vector<ThreadId> stopped_;               // by a lock or a pending read
  std::vector<uint64_t> schedule_;
  Obstacle obstacle_ = {};
};

}  // namespace foretrace
