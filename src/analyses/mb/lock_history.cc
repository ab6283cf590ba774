#include "analyses/mb/lock_history.h"

#include <algorithm>

namespace foretrace::mb {

void ThreadSections::add(const PastSection& section) {
  if (last_.acquired != 0) older_.push_back({last_, section.acquired});
  last_ = section;
}

const PastSection* ThreadSections::older_before(uint64_t clock, uint64_t& forgotten) const {
  // It is most often one of the last ones, so look at twice as many each time.
  size_t end = older_.size();
  size_t step = 1;
  while (end > step && older_[end - step].section.acquired > clock) {
    end -= step;
    step *= 2;
  }
  const auto after = std::upper_bound(
      older_.begin() + static_cast<std::ptrdiff_t>(end > step ? end - step : 0),
      older_.begin() + static_cast<std::ptrdiff_t>(end), clock,
      [](uint64_t value, const Older& older) { return value < older.section.acquired; });
  if (after == older_.begin()) return nullptr;
  const Older& found = *(after - 1);
  if (clock < found.next) return &found.section;
  ++forgotten;
  return after == older_.end() ? &last_ : &after->section;
}

void ThreadSections::forget(uint64_t boundary, const std::vector<uint64_t>& clocks) {
  // A lock that is used as it was needs the space again.
  if (older_.capacity() > 4 * older_.size()) older_.shrink_to_fit();
  if (older_.size() < 2 || older_[1].next >= boundary) return;
  auto clock = clocks.begin();
  size_t kept = 1;
  for (size_t i = 1; i < older_.size(); ++i) {
    clock = std::lower_bound(clock, clocks.end(), older_[i].section.acquired);
    const bool wanted = clock != clocks.end() && *clock < older_[i].next;
    if (wanted || older_[i].next >= boundary) older_[kept++] = older_[i];
  }
  older_.resize(kept);
}

size_t SectionList::place_of(ThreadId thread) const {
  // Often all threads use the lock.
  if (thread < threads_.size() && threads_[thread] == thread) return thread;
  return static_cast<size_t>(std::lower_bound(threads_.begin(), threads_.end(), thread) -
                             threads_.begin());
}

void SectionList::add(ThreadId thread, const PastSection& section) {
  const size_t place = place_of(thread);
  if (place == threads_.size() || threads_[place] != thread) {
    threads_.insert(threads_.begin() + static_cast<std::ptrdiff_t>(place), thread);
    sections_.emplace(sections_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  sections_[place].add(section);
  released_.raise(thread, section.end_component());
}

}  // namespace foretrace::mb
