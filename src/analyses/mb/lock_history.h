// The critical sections of a lock that lie in the past: paper 000's H, section 15.2.
#pragma once

#include <cstdint>
#include <vector>

#include "analyses/mb/stretch.h"

namespace foretrace::mb {

// A closed critical section, as Definition 8, condition 3 needs it: the end of
// it is where edges start. The numbers are clocks.
struct PastSection {
  uint64_t acquired = 0;
  uint64_t released = 0;
  Stretch* end = nullptr;  // the release is in it
  uint64_t tags = 0;       // of the locks that are held after it

  uint64_t end_component() const { return component(released, tags); }
};

// The sections of one thread on one lock. They are in program order, so of those
// from which edges lead somewhere, the last one stands for all (section 16.1).
class ThreadSections {
 public:
  const PastSection& last() const { return last_; }
  void add(const PastSection& section);

  // The last section of which at least the acquire is before `clock`, null if
  // there is none. If that one has been forgotten: the first one after it that
  // has not, and `forgotten` is counted up.
  const PastSection* last_before(uint64_t clock, uint64_t& forgotten) const {
    if (last_.acquired <= clock) return &last_;
    return older_before(clock, forgotten);
  }

  // Forgets sections that were followed by another one before `boundary`, except
  // the first one and those that last_before() gives for one of `clocks`, which
  // are sorted.
  void forget(uint64_t boundary, const std::vector<uint64_t>& clocks);

  size_t size() const { return older_.size() + 1; }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Older& older : older_) visit(older.section);
    visit(last_);
  }

 private:
  struct Older {
    PastSection section;
    uint64_t next;  // the acquire of the next section, also if that is forgotten
  };
  const PastSection* older_before(uint64_t clock, uint64_t& forgotten) const;

  PastSection last_;
  std::vector<Older> older_;  // in trace order
};

// The sections of all threads on one lock, the exclusive ones or the shared ones.
class SectionList {
 public:
  void add(ThreadId thread, const PastSection& section);
  // Call some events ahead of add().
  [[gnu::always_inline]] void prefetch(ThreadId thread) const {
    const size_t place = place_of(thread);
    if (place < sections_.size()) __builtin_prefetch(&sections_[place], 1);
  }

  // The last release of each thread, as components.
  const VectorClock& released() const { return released_; }
  const ThreadSections& of(ThreadId thread) const { return sections_[place_of(thread)]; }
  size_t size() const { return threads_.size(); }
  ThreadId thread(size_t place) const { return threads_[place]; }
  ThreadSections& sections(size_t place) { return sections_[place]; }

 private:
  size_t place_of(ThreadId thread) const;

  VectorClock released_;
  std::vector<ThreadId> threads_;  // sorted
  std::vector<ThreadSections> sections_;
};

struct LockHistory {
  // Shared sections (of readers) stand apart, because no edge leads from one to
  // another.
  SectionList exclusive;
  SectionList shared;
  Point notified;  // the last notify, N in section 16.2
};

}  // namespace foretrace::mb
