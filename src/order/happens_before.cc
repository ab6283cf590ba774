#include "order/happens_before.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace {
void HappensBefore::add_thread(ThreadId id) {
  for (auto next = static_cast<ThreadId>(threads_.size()); next <= id; ++next) {
    Thread& thread = threads_.emplace_back();
    thread.epoch = Epoch(next, 1);
    thread.clock.raise(next, 1);
  }
}

HappensBefore::Lock& HappensBefore::lock(LockId id) { return slot(locks_, id); }
VectorClock& HappensBefore::written(LocationId id) { return slot(written_, id); }

void HappensBefore::leap(ThreadId id, uint64_t clock) {
  Thread& self = thread(id);
  if (clock <= self.epoch.clock()) return;
  self.epoch = Epoch(id, clock);
  self.clock.raise(id, clock);
}

void HappensBefore::tick(const Thread& thread) {
  leap(thread.epoch.thread(), thread.epoch.clock() + 1);
}

void HappensBefore::advance(const Event& event) {
  // A fork's or join's thread may be new: make it before taking references.
  if (space_of(event.op()) == Space::thread) thread(event.object);
  Thread& self = thread(event.thread);
  switch (event.op()) {
    case Op::acq:
      self.clock.join(lock(event.object).released);
      self.clock.join(lock(event.object).reader_released);
      break;
    case Op::racq:
      self.clock.join(lock(event.object).released);
      break;
    case Op::wait:
      self.waiting = true;
      self.wait_lock = event.object;
      [[fallthrough]];
    case Op::rel: {
      // The holder has joined what readers released, so it replaces both.
      Lock& released = lock(event.object);
      released.released = self.clock;
      released.reader_released = VectorClock();
      tick(self);
      break;
    }
    case Op::rrel:
      lock(event.object).reader_released.join(self.clock);
      tick(self);
      break;
    case Op::fork:
      threads_[event.object].clock.join(self.clock);
      tick(self);
      break;
    case Op::join:
      self.clock.join(threads_[event.object].clock);
      break;
    case Op::notify:
    case Op::notifyall:
      lock(event.object).notified.join(self.clock);
      tick(self);
      break;
    case Op::vrd:
      self.clock.join(written(event.object));
      break;
    case Op::vrmw:
      self.clock.join(written(event.object));
      [[fallthrough]];
    case Op::vwr:
      written(event.object).join(self.clock);
      tick(self);
      break;
    case Op::barrier:
      arrive_at_barrier(event, self);
      break;
    default:
      break;
  }
}

void HappensBefore::arrive_at_barrier(const Event& event, Thread& self) {
  std::shared_ptr<BarrierGeneration>& generation = slot(barriers_, event.object);
  if (generation == nullptr || !generation->open) {
    generation = std::make_shared<BarrierGeneration>();
  }
  generation->clock.join(self.clock);
  self.barrier = generation;
  tick(self);
}

void HappensBefore::hear_notifies(ThreadId id) {
  Thread& self = thread(id);
  if (self.waiting) self.clock.join(lock(self.wait_lock).notified);
}

void HappensBefore::resume(ThreadId id) {
  Thread& self = thread(id);
  if (self.waiting) {
    const Lock& waited = lock(self.wait_lock);
    self.clock.join(waited.released);
    self.clock.join(waited.reader_released);
    self.clock.join(waited.notified);
    self.waiting = false;
  }
  if (self.barrier != nullptr) {
    self.barrier->open = false;
    self.clock.join(self.barrier->clock);
    self.barrier.reset();
  }
}

}  // namespace foretrace
