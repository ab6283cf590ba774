#include "analyses/mb/must_before.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::mb {
void MustBefore::add_thread(ThreadId id) {
  for (auto next = static_cast<ThreadId>(threads_.size()); next <= id; ++next) {
    Thread& thread = threads_.emplace_back();
    thread.current = pool_.make(next, 0, VectorClock());
    thread.stretches.push_back(thread.current);
  }
}

LockHistory& MustBefore::lock(LockId id) { return slot(locks_, id); }

// ---- stretches

Stretch& MustBefore::begin_stretch(ThreadId id, uint64_t index) {
  Thread& self = thread(id);
  self.current = pool_.make(id, index, self.current->past);
  self.current->tags = self.tags;
  self.stretches.push_back(self.current);
  return *self.current;
}

// For what happens in one event: an acquire after a wait also learns of notifies.
Stretch& MustBefore::begin_stretch_unless_fresh(ThreadId id, uint64_t index) {
  Stretch& current = *thread(id).current;
  return current.first == index ? current : begin_stretch(id, index);
}

void MustBefore::learn(Stretch& stretch, const Point& point) {
  const ThreadId other = point.epoch.thread();
  stretch.past.join(point.stretch->past);
  stretch.past.raise(other, component(point.epoch.clock(), point.stretch->tags));
  threads_[other].learnt_of = std::max(threads_[other].learnt_of, point.epoch.clock());
}

void MustBefore::learn(VectorClock& past, ThreadId other, const PastSection& section) {
  past.join(section.end->past);
  past.raise(other, section.end_component());
  threads_[other].learnt_of = std::max(threads_[other].learnt_of, section.released);
}

// Definition 8, condition 2: the new access comes after all that it clashes with.
bool MustBefore::clash(uint64_t index, const Event& event, bool is_write,
                       const Conflicts& location) {
  const Stretch& now = *threads_[event.thread].current;
  unordered_.clear();
  reads_.for_each_clash(location, is_write, [&](Op op, const PastAccess& past) {
    if (!has(now, past.epoch())) unordered_.push_back({op, past});
  });
  if (unordered_.empty()) return false;
  Stretch& stretch = begin_stretch(event.thread, index);
  for (const Clash& clash : unordered_) {
    learn(stretch, {clash.access.epoch(), &pool_[clash.access.stretch]});
  }
  enqueue_open(threads_[event.thread]);
  run_queue();
  return true;
}

// ---- operations

void MustBefore::advance(uint64_t index, const Event& event) {
  switch (event.op()) {
    case Op::acq:
      return acquire(index, event.thread, event.object, false);
    case Op::racq:
      return acquire(index, event.thread, event.object, true);
    case Op::rel:
      return release(index, event.thread, event.object, false);
    case Op::rrel:
      return release(index, event.thread, event.object, true);
    case Op::wait:
      release(index, event.thread, event.object, false);
      threads_[event.thread].waiting = true;
      threads_[event.thread].wait_lock = event.object;
      return;
    case Op::notify:
    case Op::notifyall:
      return notify(index, event);
    case Op::fork:
      return fork(index, event);
    case Op::join:
      return join(index, event);
    case Op::vrd:
    case Op::vwr:
    case Op::vrmw:
      return access_volatile(index, event);
    case Op::barrier:
      return arrive_at_barrier(index, event);
    default:
      return;
  }
}

void MustBefore::acquire(uint64_t index, ThreadId id, LockId lock_id, bool shared) {
  LockHistory& history = lock(lock_id);
  (shared ? history.shared : history.exclusive).prefetch(id);
  Section* const section = make_section();
  *section = {.lock = lock_id, .thread = id, .shared = shared, .acquired = index};
  section->start = &begin_stretch_unless_fresh(id, index);
  Thread& self = threads_[id];
  self.open.push_back(section);
  self.tags |= tag_of(lock_id);
  self.current->tags = self.tags;
  enqueue(section);
  run_queue();
}

void MustBefore::release(uint64_t index, ThreadId id, LockId lock_id, bool shared) {
  Thread& self = thread(id);
  const auto place =
      std::find_if(self.open.rbegin(), self.open.rend(), [&](const Section* section) {
        return section->lock == lock_id && section->shared == shared;
      });
  if (place == self.open.rend()) return;  // not in a well-formed trace
  Section* const section = *place;
  self.open.erase(std::next(place).base());
  self.tags = 0;
  for (const Section* other : self.open) self.tags |= tag_of(other->lock);
  PastSection past;
  past.acquired = clock_of(section->acquired);
  past.released = clock_of(index);
  past.end = self.current;
  past.tags = self.tags;
  (shared ? lock(lock_id).shared : lock(lock_id).exclusive).add(id, past);
  ++past_sections_;
  ++fresh_past_sections_;
  if (section->complete) return free_section(section);
  section->open = false;
  section->end = self.current;
  section->next = std::exchange(self.current->released, section);
  self.closed.push_back(section);
}

// The notifies of a lock are totally ordered (section 16.2).
void MustBefore::notify(uint64_t index, const Event& event) {
  Point& last = lock(event.object).notified;
  if (!last.epoch.is_zero() && !ordered(last.epoch, event.thread)) {
    learn(begin_stretch_unless_fresh(event.thread, index), last);
    enqueue_open(threads_[event.thread]);
    run_queue();
  }
  last = point(index, event.thread);
}

void MustBefore::fork(uint64_t index, const Event& event) {
  const Point parent = point(index, event.thread);
  learn(begin_stretch(event.object, index), parent);
}

void MustBefore::join(uint64_t index, const Event& event) {
  // The child has no events after this one, so this one's clock covers them all.
  const Point child = point(index, event.object);
  threads_[event.object].joined = true;
  learn(begin_stretch_unless_fresh(event.thread, index), child);
  enqueue_open(threads_[event.thread]);
  run_queue();
}

void MustBefore::access_volatile(uint64_t index, const Event& event) {
  thread(event.thread);  // makes room for it
  Conflicts& location = volatiles_[event.object];
  const bool is_write = event.op() != Op::vrd;
  clash(index, event, is_write, location);
  remember(index, event, kEmptyLockset, location, [](Epoch) { return true; });
}

void MustBefore::arrive_at_barrier(uint64_t index, const Event& event) {
  std::shared_ptr<Generation>& generation = slot(barriers_, event.object);
  if (generation == nullptr || generation->all != nullptr) {
    generation = std::make_shared<Generation>();
  }
  generation->arrivals.push_back(point(index, event.thread));
  threads_[event.thread].barrier = generation;
}

void MustBefore::leave_barrier(Stretch& stretch, Generation& generation) {
  if (generation.all == nullptr) {
    generation.all = pool_.make(kNoThread, stretch.first, VectorClock());
    generations_.push_back(generation.all);
    for (const Point& arrival : generation.arrivals) learn(*generation.all, arrival);
    generation.arrivals = {};
  }
  stretch.past.join(generation.all->past);
}

void MustBefore::resume(uint64_t index, const Event& event) {
  Thread& self = thread(event.thread);
  Stretch& stretch = begin_stretch_unless_fresh(event.thread, index);
  if (self.waiting) {
    const Point& notified = lock(self.wait_lock).notified;
    if (!notified.epoch.is_zero()) learn(stretch, notified);
  }
  if (const std::shared_ptr<Generation> generation = std::exchange(self.barrier, nullptr)) {
    leave_barrier(stretch, *generation);
  }
  enqueue_open(self);
  run_queue();
  // The lock is taken back, by this event if it says so, else before it.
  const bool takes_it_itself = event.op() == Op::acq && event.object == self.wait_lock;
  if (std::exchange(self.waiting, false) && !takes_it_itself) {
    acquire(index, event.thread, self.wait_lock, false);
  }
}

}  // namespace foretrace::mb
