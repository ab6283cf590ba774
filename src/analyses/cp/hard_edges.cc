#include "analyses/cp/hard_edges.h"

#include <algorithm>
#include <bit>

#include "base/table.h"

namespace foretrace::cp {
// ---- ClockOfOthers

std::vector<ClockOfOthers::Slot>::const_iterator ClockOfOthers::find(ThreadId thread) const {
  return std::lower_bound(slots_.begin(), slots_.end(), thread,
                          [](const Slot& slot, ThreadId id) { return slot.thread < id; });
}

void ClockOfOthers::add(ThreadId thread, const VectorClock& clock) {
  auto place = find(thread);
  if (place == slots_.end() || place->thread != thread) {
    const size_t leaf = slots_.size();
    place = slots_.insert(place, {thread, leaf});
    if (leaf == leaves_) grow();
  }
  for (size_t node = leaves_ + place->leaf; node > 0; node /= 2) tree_[node].join(clock);
}

void ClockOfOthers::join_into(VectorClock& target, ThreadId except) const {
  if (slots_.empty()) return;
  const auto place = find(except);
  if (place == slots_.end() || place->thread != except) return target.join(tree_[1]);
  for (size_t node = leaves_ + place->leaf; node > 1; node /= 2) target.join(tree_[node ^ 1]);
}

void ClockOfOthers::grow() {
  const size_t leaves = std::bit_ceil(slots_.size());
  std::vector<VectorClock> tree(2 * leaves);
  for (size_t leaf = 0; leaf < leaves_; ++leaf) {
    const VectorClock& clock = tree_[leaves_ + leaf];
    for (size_t node = leaves + leaf; node > 0; node /= 2) tree[node].join(clock);
  }
  tree_ = std::move(tree);
  leaves_ = leaves;
}

// ---- HardEdges

HardEdges::Thread& HardEdges::thread(ThreadId id) { return slot(threads_, id); }

void HardEdges::notify(LockId lock, ThreadId thread, const VectorClock& clock) {
  slot(notified_, lock).add(thread, clock);
}

void HardEdges::write(LocationId location, ThreadId thread, const VectorClock& clock) {
  written_[location].add(thread, clock);
}

void HardEdges::read(LocationId location, ThreadId thread, VectorClock& causes) {
  const auto written = written_.find(location);
  if (written != written_.end()) written->second.join_into(causes, thread);
}

void HardEdges::arrive(uint32_t barrier, ThreadId id, const VectorClock& clock) {
  std::shared_ptr<BarrierGeneration>& generation = slot(barriers_, barrier);
  if (generation == nullptr || !generation->open) {
    generation = std::make_shared<BarrierGeneration>();
  }
  generation->clock.add(id, clock);
  thread(id).barrier = generation;
}

void HardEdges::wait(LockId lock, ThreadId id) {
  thread(id).waiting = true;
  thread(id).wait_lock = lock;
}

void HardEdges::resume(ThreadId id, VectorClock& causes) {
  Thread& self = thread(id);
  if (self.waiting) {
    slot(notified_, self.wait_lock).join_into(causes, id);
    self.waiting = false;
  }
  if (self.barrier != nullptr) {
    self.barrier->open = false;
    self.barrier->clock.join_into(causes, id);
    self.barrier.reset();
  }
}

}  // namespace foretrace::cp
