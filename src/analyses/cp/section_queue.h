// The past sections of one lock from which there may be base edges.
#pragma once

#include <algorithm>
#include <vector>

#include "analyses/cp/sections.h"
#include "order/vector_clock.h"

namespace foretrace::cp {

struct PastSection {
  SectionId id = kNoSection;
  // The first exclusive section that has an edge from this one, as far as known.
  // Later ones need none: what this section did is among their causes already.
  SectionId target = kNoSection;
  Epoch acquired;     // the epoch of its acquire
  VectorClock clock;  // what happens before its release, and that
};

// Sections each of which happens before the next: the exclusive ones of a lock,
// or the reader sections of one thread. An edge from one of them into a section
// comes with an edge from all before it. So those with a target stand in front,
// and targets do not decrease.
class SectionQueue {
 public:
  void push(SectionId id, Epoch acquired) {
    sections_.push_back({id, kNoSection, acquired, VectorClock()});
  }
  // The last one in; its clock is set when it ends.
  PastSection* back() { return sections_.size() == first_ ? nullptr : &sections_.back(); }

  // The last section up to `id`; null if it has been forgotten.
  PastSection* up_to(SectionId id) {
    return last_while(first_, [&](const PastSection& section) { return section.id <= id; });
  }

  // The last section before section `target` whose acquire is among `causes`, if
  // it needs an edge into `target`.
  PastSection* precedes(SectionId target, const VectorClock& causes) {
    size_t start = targeted_;
    if (start > first_ && sections_[start - 1].target > target) {
      start = partition_point(first_, [&](const PastSection& section) {
        return section.target != kNoSection && section.target <= target;
      });
    }
    return last_while(start, [&](const PastSection& section) {
      return section.id < target &&
             section.acquired.clock() <= causes.get(section.acquired.thread());
    });
  }

  // There is an edge from `source` into the exclusive section `target`.
  void add_target(const PastSection* source, SectionId target) {
    const auto place = static_cast<size_t>(source - sections_.data());
    targeted_ = std::max(targeted_, place + 1);
    for (size_t i = place + 1; i-- > first_;) {
      PastSection& section = sections_[i];
      if (section.target != kNoSection && section.target <= target) break;
      section.target = target;
    }
  }

  // Drops the sections whose target is at most `target`.
  void forget(SectionId target) {
    while (first_ < targeted_ && sections_[first_].target <= target) {
      sections_[first_++].clock = VectorClock();
    }
    if (first_ < 32 || first_ < sections_.size() / 2) return;
    sections_.erase(sections_.begin(), sections_.begin() + static_cast<ptrdiff_t>(first_));
    targeted_ -= first_;
    first_ = 0;
  }

 private:
  template <typename Fits>
  size_t partition_point(size_t start, Fits fits) const {
    const auto begin = sections_.begin() + static_cast<ptrdiff_t>(start);
    return start + static_cast<size_t>(std::partition_point(begin, sections_.end(), fits) - begin);
  }

  // Of the sections that fit, which come first from `start` on, the last one.
  template <typename Fits>
  PastSection* last_while(size_t start, Fits fits) {
    if (start == sections_.size() || !fits(sections_[start])) return nullptr;
    return &sections_[partition_point(start, fits) - 1];
  }

  std::vector<PastSection> sections_;
  size_t first_ = 0;     // those before it are forgotten
  size_t targeted_ = 0;  // those before it have a target
};

}  // namespace foretrace::cp
