// Which parts of the must-before order can no longer change.
#include <algorithm>

#include "analyses/mb/must_before.h"

namespace foretrace::mb {

template <typename Visit>
void MustBefore::for_each_incomplete(const Thread& thread, Visit visit) {
  for (Section* const section : thread.open) {
    if (!section->complete) visit(*section);
  }
  for (Section* const section : thread.closed) {
    if (!section->complete) visit(*section);
  }
}

// ---- the window

bool MustBefore::overdue(uint64_t index) const {
  bool found = false;
  for (const Thread& thread : threads_) {
    for_each_incomplete(thread, [&](const Section& section) {
      found |= index - section.acquired > options_.window;
    });
  }
  return found;
}

void MustBefore::force(uint64_t index) {
  for (const Thread& thread : threads_) {
    for_each_incomplete(thread, [&](Section& section) {
      if (index - section.acquired > options_.window) force(section);
    });
  }
  run_queue();
}

void MustBefore::force(Section& section) {
  const LockHistory& history = locks_[section.lock];
  VectorClock sources;
  const auto add_all = [&](const SectionList& earlier) {
    earlier.released().for_each_above(
        section.start->past, [&](ThreadId thread, uint64_t, uint64_t) {
          if (thread == section.thread) return;
          // The clock of what is just before the acquire is the acquire's index.
          const PastSection* const source =
              earlier.of(thread).last_before(section.acquired, forgotten_);
          if (source != nullptr) learn(sources, thread, *source);
        });
  };
  add_all(history.exclusive);
  if (!section.shared) add_all(history.shared);
  add_edges(section, sources);
  section.complete = true;
  section.start = nullptr;
  ++forced_;
}

// ---- the frontier

// An edge can still come into a section's acquire if the section is not complete
// and it is open, or something in the past of its release can still change. That
// is the case for everything that is at or after such an acquire: hence the
// fixpoint. What is settled once stays so, since new acquires are in the past of
// new events only.
void MustBefore::find_frontier() {
  frontier_.assign(threads_.size(), kNever);
  frontier_threads_.clear();
  for (ThreadId id = 0; id < threads_.size(); ++id) {
    for (const Section* section : threads_[id].open) {
      if (!section->complete) frontier_[id] = std::min(frontier_[id], section->acquired);
    }
    if (frontier_[id] != kNever) frontier_threads_.push_back(id);
  }
  for (bool lowered = !frontier_threads_.empty(); lowered;) {
    lowered = false;
    for (ThreadId id = 0; id < threads_.size(); ++id) {
      if (!threads_[id].closed.empty()) lowered |= lower_frontier(id);
    }
  }
}

bool MustBefore::lower_frontier(ThreadId id) {
  const std::vector<Section*>& closed = threads_[id].closed;
  uint64_t lowest = frontier_[id];
  for (size_t i = settled_sections(threads_[id]); i < closed.size(); ++i) {
    if (!closed[i]->complete) lowest = std::min(lowest, closed[i]->acquired);
  }
  if (lowest == frontier_[id]) return false;
  if (frontier_[id] == kNever) frontier_threads_.push_back(id);
  frontier_[id] = lowest;
  return true;
}

bool MustBefore::settled(const Stretch& stretch) const {
  return std::all_of(frontier_threads_.begin(), frontier_threads_.end(), [&](ThreadId id) {
    if (id == stretch.thread) return stretch.first < frontier_[id];
    return stretch.knows(id) < clock_of(frontier_[id]);
  });
}

// Of the thread's closed sections, the first ones are settled, because each
// release knows what those before it know. The same holds for its stretches.
size_t MustBefore::settled_sections(const Thread& thread) const {
  const auto end =
      std::partition_point(thread.closed.begin(), thread.closed.end(),
                           [&](const Section* section) { return settled(*section->end); });
  return static_cast<size_t>(end - thread.closed.begin());
}

void MustBefore::settle(uint64_t index, const std::function<void(Stretch&)>& on_settled) {
  find_frontier();
  for (Thread& thread : threads_) drop_settled(thread, on_settled);
  std::erase_if(generations_, [&](Stretch* generation) {
    generation->listed = !settled(*generation);
    return !generation->listed;
  });
  const size_t created = pool_.fresh() + fresh_past_sections_;
  // Looking at all locations must pay; large clocks should not wait for that.
  const size_t factor = threads_.size() > 64 ? 1 : 2;
  if (created >= factor * std::max({options_.collect_every, kept_, locations_.size() / 2})) {
    collect(index);
  }
  // With many threads the frontier is dear: some hundred look at each other.
  const size_t pairs = frontier_threads_.size() * frontier_threads_.size();
  next_settle_ =
      index + std::max({options_.settle_every, uint64_t{threads_.size()} / 4, pairs / 16});
}

void MustBefore::drop_settled(Thread& thread, const std::function<void(Stretch&)>& on_settled) {
  const auto sections = static_cast<std::ptrdiff_t>(settled_sections(thread));
  const auto end = std::partition_point(thread.stretches.begin(), thread.stretches.end(),
                                        [&](const Stretch* stretch) { return settled(*stretch); });
  for (auto stretch = thread.stretches.begin(); stretch != end; ++stretch) {
    (*stretch)->released = nullptr;
    if ((*stretch)->pending != nullptr) on_settled(**stretch);
    (*stretch)->listed = *stretch == thread.current;
  }
  for (auto section = thread.closed.begin(); section != thread.closed.begin() + sections;
       ++section) {
    free_section(*section);
  }
  thread.closed.erase(thread.closed.begin(), thread.closed.begin() + sections);
  // The last stretch is not over yet.
  const auto dropped = std::min(end, thread.stretches.end() - 1);
  thread.stretches.erase(thread.stretches.begin(), dropped);
}

void MustBefore::finish(const std::function<void(Stretch&)>& on_settled) {
  for (const Thread& thread : threads_) {
    for (Stretch* const stretch : thread.stretches) {
      if (stretch->pending != nullptr) on_settled(*stretch);
    }
  }
}

MustBeforeStatistics MustBefore::statistics() const {
  MustBeforeStatistics statistics;
  statistics.stretches = pool_.live();
  statistics.listed = generations_.size();
  for (const Thread& thread : threads_) {
    statistics.listed += thread.stretches.size();
    for_each_incomplete(thread, [&](const Section&) { ++statistics.sections; });
  }
  statistics.past_sections = past_sections_;
  statistics.forced = forced_;
  statistics.forgotten = forgotten_;
  return statistics;
}

}  // namespace foretrace::mb
