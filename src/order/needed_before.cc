#include "order/needed_before.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace {

VectorClock& NeededBefore::known(ThreadId thread) { return slot(threads_, thread).known; }

void NeededBefore::add(VectorClock& clock, const Point& point) {
  if (point.epoch.is_zero()) return;
  const ThreadId thread = point.epoch.thread();
  if (clock.get(thread) >= point.epoch.clock()) return;  // then it has all that this needs, too
  clock.join(point.past);
  clock.raise(thread, point.epoch.clock());
}

void NeededBefore::resume(ThreadId thread) {
  Thread& self = slot(threads_, thread);
  if (self.waiting) {
    self.waiting = false;
    end_wait(thread, self.wait_lock);
  }
  if (self.barrier != nullptr) {
    self.barrier->open = false;
    self.known.join(self.barrier->arrived);
    self.barrier.reset();
  }
}

void NeededBefore::advance(uint64_t index, const Event& event) {
  switch (event.op()) {
    case Op::rd:
    case Op::vrd:
    case Op::ard:
      return read(event);
    case Op::vrmw:
    case Op::armw:
      read(event);
      [[fallthrough]];
    case Op::wr:
    case Op::vwr:
    case Op::awr:
      slot(writes_, event.object) = point(index, event.thread);
      return;
    case Op::fork: {
      const Point parent = point(index, event.thread);
      return add(known(event.object), parent);
    }
    case Op::join: {
      // The child has no events after this one, so this one's clock covers them all.
      const Point child = point(index, event.object);
      return add(known(event.thread), child);
    }
    case Op::wait: {
      Thread& self = slot(threads_, event.thread);
      self.waiting = true;
      self.wait_lock = event.object;
      slot(waits_, event.object).push_back({event.thread, {}});
      return;
    }
    case Op::notify:
    case Op::notifyall:
      return notify(index, event);
    case Op::barrier:
      return arrive(index, event);
    default:
      return;
  }
}

void NeededBefore::read(const Event& event) {
  add(known(event.thread), slot(writes_, event.object));
}

void NeededBefore::end_wait(ThreadId thread, LockId lock) {
  std::vector<Wait>& waits = slot(waits_, lock);
  const auto wait = std::find_if(waits.begin(), waits.end(),
                                 [&](const Wait& one) { return one.thread == thread; });
  if (wait == waits.end()) return;
  known(thread).join(wait->notified);
  waits.erase(wait);
}

void NeededBefore::notify(uint64_t index, const Event& event) {
  const Point notified = point(index, event.thread);
  for (Wait& wait : slot(waits_, event.object)) add(wait.notified, notified);
}

void NeededBefore::arrive(uint64_t index, const Event& event) {
  std::shared_ptr<Generation>& generation = slot(barriers_, event.object);
  if (generation == nullptr || !generation->open) generation = std::make_shared<Generation>();
  add(generation->arrived, point(index, event.thread));
  slot(threads_, event.thread).barrier = generation;
}

}  // namespace foretrace
