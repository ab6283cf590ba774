#include "analyses/serializability/conflicts.h"

#include <algorithm>

#include "base/table.h"

namespace foretrace::serializability {
namespace {

// Instead of a node in Location::read: there are several readers.
constexpr NodeId kSeveral = {UINT32_MAX, 1};

Occurrence occurrence(uint64_t index, const Event& event, NodeId node, uint32_t label) {
  Occurrence now;
  now.node = node;
  now.index = index;
  now.thread = event.thread;
  now.op_bits = event.op_bits;
  now.object = event.object;
  now.site = event.site;
  now.label = label;
  return now;
}

}  // namespace

void Conflicts::process(uint64_t index, const Event& event) {
  // A fork's or join's thread may be new: make it before taking references.
  if (space_of(event.op()) == Space::thread) slot(threads_, event.object);
  Thread& thread = slot(threads_, event.thread);
  Occurrence now = occurrence(index, event, thread.node, thread.label);
  if (event.op() == Op::beg) begin_unit(thread, now);
  if (!thread.started) start(thread, now);
  if (event.resumes != 0) resume(thread, now);
  operate(thread, now);
  thread.last = now;
  if (event.op() == Op::end) end_unit(thread);
}

void Conflicts::operate(Thread& thread, Occurrence& now) {
  switch (now.op()) {
    case Op::rd:
    case Op::vrd:
    case Op::ard:
      return read(thread, now);
    case Op::wr:
    case Op::vwr:
    case Op::vrmw:
    case Op::awr:
    case Op::armw:
      return write(thread, now);
    case Op::acq:
    case Op::racq:
      return acquire(now.object, now.op() == Op::racq, thread, now);
    case Op::wait:
      begin_wait(thread, now);
      return release(thread, now);
    case Op::rel:
    case Op::rrel:
      return release(thread, now);
    case Op::fork:
      threads_[now.object].fork = now;
      return;
    case Op::join:
      return join(thread, now);
    case Op::notify:
    case Op::notifyall:
      return notify(thread, now);
    case Op::barrier:
      return arrive(thread, now);
    default:
      return;
  }
}

void Conflicts::follow_live(const Occurrence& from, Thread& thread, Occurrence& now) {
  if (thread.units.depth() == 0) {
    now.node = graph_.add_outside(from, now, thread.node_made == now.index);
    if (now.node != thread.node) thread.node_made = now.index;
    thread.node = now.node;
    return;
  }
  if (!graph_.would_close_cycle(from, now)) return graph_.add_to_unit(from, now);
  if (thread.violated) return;
  thread.violated = true;
  report_({graph_.cycle(from, now), thread.units});
}

void Conflicts::read(Thread& thread, Occurrence& now) {
  follow(slot(locations_, now.object).write, thread, now);
  // A node that is gone stays gone; and then so are those of the thread's earlier
  // reads.
  if (graph_.is_live(now.node)) remember_reader(locations_[now.object], now);
}

void Conflicts::remember_reader(Location& location, const Occurrence& now) {
  if (location.read.node == now.node) return;
  if (location.read.node == kSeveral) return put(readers_[location.read.index], now);
  if (location.read.thread == now.thread || !graph_.is_live(location.read.node)) {
    location.read = now;
    return;
  }
  if (free_readers_.empty()) {
    free_readers_.push_back(readers_.size());
    readers_.emplace_back();
  }
  const uint64_t place = free_readers_.back();
  free_readers_.pop_back();
  readers_[place] = {location.read};
  put(readers_[place], now);
  location.read.node = kSeveral;
  location.read.index = place;
}

// Of each thread the last occurrence is enough: the others come before it.
void Conflicts::put(std::vector<Occurrence>& by_thread, const Occurrence& now) {
  const auto place = std::lower_bound(
      by_thread.begin(), by_thread.end(), now,
      [](const Occurrence& a, const Occurrence& b) { return a.thread < b.thread; });
  if (place != by_thread.end() && place->thread == now.thread) {
    *place = now;
  } else {
    by_thread.insert(place, now);
  }
}

void Conflicts::write(Thread& thread, Occurrence& now) {
  Location& location = slot(locations_, now.object);
  follow(location.write, thread, now);
  if (location.read.node == kSeveral) {
    for (const Occurrence& reader : readers_[location.read.index]) follow(reader, thread, now);
    forget_readers(location);
  } else {
    follow(location.read, thread, now);
  }
  if (!graph_.is_live(now.node)) return;  // then so are all those before it
  location.write = now;
  location.read.node = {};
}

void Conflicts::forget_readers(Location& location) {
  readers_[location.read.index].clear();
  free_readers_.push_back(location.read.index);
  location.read.node = {};
}

void Conflicts::acquire(LockId lock, bool shared, Thread& thread, Occurrence& now) {
  const Lock& state = slot(locks_, lock);
  follow(state.release, thread, now);
  if (shared) return;
  for (const Occurrence& reader : state.reader_releases) follow(reader, thread, now);
}

void Conflicts::release(Thread& thread, const Occurrence& now) {
  if (!graph_.is_live(thread.node)) return;
  Lock& state = slot(locks_, now.object);
  if (now.op() == Op::rrel) return put(state.reader_releases, now);
  state.release = now;
  state.reader_releases.clear();
}

void Conflicts::start(Thread& thread, Occurrence& now) {
  thread.started = true;
  follow(thread.fork, thread, now);
}

void Conflicts::join(Thread& thread, Occurrence& now) {
  Thread& child = threads_[now.object];
  follow(child.started ? child.last : child.fork, thread, now);
  // It does nothing more, so a unit that it has left open is over.
  while (child.units.depth() > 0) end_unit(child);
}

void Conflicts::begin_wait(Thread& thread, const Occurrence& now) {
  thread.waiting = true;
  thread.wait_lock = now.object;
  thread.wait = now;
  slot(locks_, now.object).waiters.push_back(now.thread);
}

void Conflicts::notify(Thread& thread, Occurrence& now) {
  for (const ThreadId waiter : slot(locks_, now.object).waiters) {
    follow(threads_[waiter].wait, thread, now);
    std::vector<Occurrence>& notifies = threads_[waiter].notifies;
    if (graph_.is_live(now.node)) put(notifies, now);
  }
}

void Conflicts::resume(Thread& thread, Occurrence& now) {
  if (thread.waiting) {
    thread.waiting = false;
    std::erase(slot(locks_, thread.wait_lock).waiters, static_cast<ThreadId>(now.thread));
    for (const Occurrence& notify : thread.notifies) follow(notify, thread, now);
    thread.notifies.clear();
    acquire(thread.wait_lock, false, thread, now);
  }
  if (thread.barrier != nullptr) {
    thread.barrier->open = false;
    for (const Occurrence& arrival : thread.barrier->arrivals) follow(arrival, thread, now);
    thread.barrier.reset();
  }
}

void Conflicts::arrive(Thread& thread, const Occurrence& now) {
  std::shared_ptr<Generation>& generation = slot(barriers_, now.object);
  if (generation == nullptr || !generation->open) generation = std::make_shared<Generation>();
  if (graph_.is_live(now.node)) generation->arrivals.push_back(now);
  thread.barrier = generation;
}

void Conflicts::begin_unit(Thread& thread, Occurrence& now) {
  if (thread.units.depth() == 0) {
    forget_unreachable();
    thread.node = graph_.begin_unit(now.thread, thread.node);
    thread.label = now.object;
    thread.violated = false;
    now.node = thread.node;
    now.label = thread.label;
  }
  thread.units.begin(now.object, now.index);
}

void Conflicts::end_unit(Thread& thread) {
  thread.units.end();
  if (thread.units.depth() > 0) return;
  graph_.end_unit(thread.node);
  thread.label = kNoLabel;
}

// A unit that stays open for long keeps alive all that it reaches; but what no
// table names any more, no event can come after. Looking for that costs a walk
// through the tables, so it is done when the nodes have become as many.
void Conflicts::forget_unreachable() {
  if (graph_.live_count() < sweep_at_) return;
  size_t seen = 0;
  const auto mark = [&](const Occurrence& occurrence) {
    graph_.mark(occurrence.node);
    ++seen;
  };
  const auto mark_all = [&](const std::vector<Occurrence>& all) {
    for (const Occurrence& one : all) mark(one);
  };
  for (const Location& location : locations_) {
    mark(location.write);
    mark(location.read);
  }
  for (const std::vector<Occurrence>& readers : readers_) mark_all(readers);
  for (const Lock& lock : locks_) {
    mark(lock.release);
    mark_all(lock.reader_releases);
  }
  for (const Thread& thread : threads_) {
    graph_.mark(thread.node);
    for (const Occurrence* one : {&thread.fork, &thread.last, &thread.wait}) mark(*one);
    mark_all(thread.notifies);
    if (thread.barrier != nullptr) mark_all(thread.barrier->arrivals);
  }
  for (const std::shared_ptr<Generation>& generation : barriers_) {
    if (generation != nullptr) mark_all(generation->arrivals);
  }
  graph_.sweep();
  sweep_at_ = std::max(size_t{1} << 14, 2 * graph_.live_count() + seen);
}

}  // namespace foretrace::serializability
