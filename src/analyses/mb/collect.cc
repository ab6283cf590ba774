// Forgets what the must-before order no longer needs.
#include <algorithm>

#include "analyses/mb/must_before.h"
#include "base/sort_once.h"

namespace foretrace::mb {

// A stretch is kept while edges may change it, and while an edge may lead back to
// an event in it: from an access, a notify, a barrier or a past section.
//
// A past section is needed when somebody learns of its acquire and not of a later
// one of its thread on its lock, unless he knew of its release all along. So one
// that all threads know of is not needed, except by a thread that appears later
// without being forked: for the sake of such threads it is kept for some time.
// The others are kept while they are in the window, and after that if somebody
// knows of the acquire, or could learn of it through an event to which an edge may
// lead back. He could also learn of it through what such an event knew of third
// threads. If that happens, or if a thread appears very late, ThreadSections gives
// the next later section, and the order becomes larger than must-before, as with
// force().
void MustBefore::collect(uint64_t index) {
  find_boundaries(index);
  old_clocks_.resize(threads_.size());
  for (ThreadId id = 0; id < threads_.size(); ++id) {
    old_clocks_[id].clear();
    mark_clock(id, known_to_all_[id]);
  }
  locations_.for_each([&](const Conflicts& location) { mark(location); });
  for (const auto& [id, location] : volatiles_) mark(location);
  mark_synchronisation();
  forget_sections();
  pool_.sweep();
  fresh_past_sections_ = 0;
  kept_ = pool_.live() + past_sections_;
}

// Threads that have past sections. For others there is nothing to forget.
std::vector<ThreadId> MustBefore::threads_with_sections() const {
  std::vector<ThreadId> ids;
  for (const LockHistory& lock : locks_) {
    for (const SectionList* const list : {&lock.exclusive, &lock.shared}) {
      for (size_t i = 0; i < list->size(); ++i) ids.push_back(list->thread(i));
    }
  }
  sort_once(ids);
  return ids;
}

void MustBefore::find_boundaries(uint64_t index) {
  const std::vector<ThreadId> ids = threads_with_sections();
  find_known_to_all(ids);
  // ThreadSections may only give sections that end before the asking one begins.
  uint64_t frontier = kNever;
  for (const ThreadId id : frontier_threads_) frontier = std::min(frontier, frontier_[id]);
  constexpr uint64_t kLateThreads = 100'000;
  const auto events_ago = [&](uint64_t count) { return index > count ? index - count : 0; };
  const uint64_t window = std::min(frontier, events_ago(options_.window));
  const uint64_t late = std::min(frontier, events_ago(std::min(options_.window, kLateThreads)));
  boundaries_.assign(threads_.size(), 0);
  for (const ThreadId id : ids) {
    boundaries_[id] = std::max(window, std::min(late, known_to_all_[id]));
  }
}

// What a thread knows in its oldest stretch that may still change it knows in all
// critical sections to come.
void MustBefore::find_known_to_all(std::vector<ThreadId> ids) {
  known_to_all_.assign(threads_.size(), 0);
  for (const ThreadId id : ids) known_to_all_[id] = kNever;
  for (const Thread& thread : threads_) {
    if (thread.joined) continue;
    const Stretch& oldest = *thread.stretches.front();
    // Among many threads, each has one that knows nothing of it.
    std::erase_if(ids, [&](ThreadId id) {
      if (id == oldest.thread) return false;
      known_to_all_[id] = std::min(known_to_all_[id], oldest.knows(id));
      return known_to_all_[id] == 0;
    });
  }
}

void MustBefore::mark(const Point& point) {
  if (point.stretch == nullptr) return;
  point.stretch->marked = true;
  mark_clock(point.epoch.thread(), point.epoch.clock());
}

void MustBefore::mark(const Conflicts& location) {
  const auto mark_access = [&](const PastAccess& access) {
    if (!access.epoch().is_zero()) mark({access.epoch(), &pool_[access.stretch]});
  };
  mark_access(location.write);
  reads_.for_each_read(location, mark_access);
}

// Somebody knows, or may learn of, the thread's events up to this one.
void MustBefore::mark_clock(ThreadId id, uint64_t clock) {
  if (clock < boundaries_[id] && clock >= known_to_all_[id]) old_clocks_[id].push_back(clock);
}

// What the events of the stretch know of others.
void MustBefore::mark_clocks(const Stretch& stretch) {
  stretch.past.for_each_above(VectorClock(), [&](ThreadId id, uint64_t component, uint64_t) {
    mark_clock(id, clock_in(component));
  });
}

void MustBefore::mark_synchronisation() {
  const auto mark_generation = [&](const std::shared_ptr<Generation>& generation) {
    if (generation == nullptr) return;
    for (const Point& arrival : generation->arrivals) mark(arrival);
    if (generation->all != nullptr) generation->all->marked = true;
  };
  for (const LockHistory& lock : locks_) mark(lock.notified);
  for (const std::shared_ptr<Generation>& generation : barriers_) mark_generation(generation);
  for (const Thread& thread : threads_) {
    mark_generation(thread.barrier);
    if (!thread.joined) mark_clocks(*thread.current);
    for (const Section* section : thread.closed) mark_clocks(*section->end);
  }
}

void MustBefore::forget_sections() {
  for (std::vector<uint64_t>& clocks : old_clocks_) std::sort(clocks.begin(), clocks.end());
  past_sections_ = 0;
  for (LockHistory& lock : locks_) {
    for (SectionList* const list : {&lock.exclusive, &lock.shared}) {
      for (size_t i = 0; i < list->size(); ++i) {
        ThreadSections& sections = list->sections(i);
        const ThreadId id = list->thread(i);
        sections.forget(boundaries_[id], old_clocks_[id]);
        past_sections_ += sections.size();
        sections.for_each([](const PastSection& section) { section.end->marked = true; });
      }
    }
  }
}

}  // namespace foretrace::mb
