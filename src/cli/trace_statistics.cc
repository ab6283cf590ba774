#include "cli/trace_statistics.h"

#include <algorithm>

namespace foretrace {
namespace {

void deepen(Depth& deepest, uint64_t depth, const Event& event, uint64_t index) {
  if (depth > deepest.depth) deepest = {depth, event.thread, index};
}

}  // namespace

void TraceStatistics::process(const EventBatch& batch) {
  grow_tables();
  for (size_t i = 0; i < batch.events.size(); ++i) {
    process(batch.events[i], batch.first_index + i);
  }
  event_count_ = batch.first_index + batch.events.size();
}

void TraceStatistics::grow_tables() {
  threads_.resize(symbols_.names(Space::thread).size());
  progress_.resize(threads_.size());
  locks_.resize(symbols_.names(Space::lock).size());
  last_holder_.resize(locks_.size(), kNobody);
  lock_threads_.resize(locks_.size());
  locations_.resize(symbols_.names(Space::location).size());
  location_threads_.resize(locations_.size());
}

void TraceStatistics::process(const Event& event, uint64_t index) {
  const Op op = event.op();
  ++operations_[static_cast<size_t>(op)];
  if (op == Op::skip) return;
  ++threads_[event.thread].events;
  Progress& progress = progress_[event.thread];
  if (event.resumes != 0) resume(event, progress, index);
  // A section's acq and rel are part of it, so look before and after.
  bool locked = !progress.held.empty();
  if (space_of(op) == Space::location) {
    ++(writes(op) ? locations_[event.object].writes : locations_[event.object].reads);
    location_threads_.add(event.object, event.thread);
  } else {
    process_synchronisation(event, progress, index);
    locked = locked || !progress.held.empty();
  }
  Timeline::State after = progress.held.empty() ? Timeline::State::idle : Timeline::State::holding;
  if (progress.waiting || progress.at_barrier) after = Timeline::State::waiting;
  timeline_.record(event.thread, index, locked, after);
}

// The first event after a wait or a barrier.
void TraceStatistics::resume(const Event& event, Progress& progress, uint64_t index) {
  progress.at_barrier = false;
  if (!progress.waiting) return;
  const LockId lock = *progress.waiting;
  progress.waiting.reset();
  // If this event is the re-acquire itself, acquire() takes the lock.
  if (event.op() == Op::acq && event.object == lock) return;
  progress.held.push_back({lock, index});
  last_holder_[lock] = event.thread;
}

void TraceStatistics::process_synchronisation(const Event& event, Progress& progress,
                                              uint64_t index) {
  switch (event.op()) {
    case Op::acq:
    case Op::racq:
      acquire(event, progress, index);
      break;
    case Op::rel:
    case Op::rrel:
      drop(progress, event.object, index);
      break;
    case Op::wait:
      drop(progress, event.object, index);
      progress.waiting = event.object;
      break;
    case Op::barrier:
      progress.at_barrier = true;
      break;
    case Op::beg:
      ++progress.units;
      deepen(deepest_units_, progress.units, event, index);
      break;
    case Op::end:
      progress.units -= progress.units > 0 ? 1 : 0;
      break;
    case Op::fork:
      threads_[event.object].forked = {event.thread, index};
      timeline_.start(event.object, index);
      break;
    case Op::join:
      threads_[event.object].joined = {event.thread, index};
      timeline_.end(event.object);
      break;
    default:
      break;
  }
}

void TraceStatistics::acquire(const Event& event, Progress& progress, uint64_t index) {
  LockStatistics& lock = locks_[event.object];
  ThreadId& last = last_holder_[event.object];
  ++lock.acquires;
  if (last != kNobody && last != event.thread) ++lock.contended;
  last = event.thread;
  lock_threads_.add(event.object, event.thread);
  progress.held.push_back({event.object, index});
  deepen(deepest_locks_, progress.held.size(), event, index);
}

void TraceStatistics::drop(Progress& progress, LockId lock, uint64_t index) {
  const auto held = std::find_if(progress.held.rbegin(), progress.held.rend(),
                                 [&](const HeldLock& h) { return h.lock == lock; });
  if (held == progress.held.rend()) return;
  locks_[lock].longest_hold = std::max(locks_[lock].longest_hold, index - held->since);
  progress.held.erase(std::next(held).base());
}

}  // namespace foretrace
