// The critical sections of a trace, by number, and the base edges between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/table.h"
#include "trace/event.h"

namespace foretrace::cp {

// Sections count from 1, in the order of their acquires; 0 is no section.
using SectionId = uint32_t;
inline constexpr SectionId kNoSection = 0;

struct Section {
  SectionId id = kNoSection;
  LockId lock = 0;
  bool shared = false;  // a reader section
};

// The edges from rule (a) and rule (b) of Definition 5, from the release of a
// section to the acquire of a later one of the same lock.
//
// If section k of a lock has an edge into h, so has every exclusive section of
// the lock before k: its acquire happens before that of k. So one number per
// section says it all for exclusive sources. Reader sections do not happen
// before one another unless they are of one thread: those are listed, the last
// one of each thread standing for its earlier ones.
struct BaseEdges {
  struct FromReader {
    SectionId target;
    ThreadId thread;
    SectionId source;
    auto operator<=>(const FromReader&) const = default;
  };

  std::vector<SectionId> last = {kNoSection};  // by target: the last exclusive source
  std::vector<FromReader> from_readers;        // sorted
};

// Follows a well-formed stream and knows the open sections of each thread. The
// start of a wait ends a section, and its end starts another.
class OpenSections {
 public:
  // For an event with `resumes`: the section that starts with it, if any. (If the
  // event is the re-acquire itself, begin() starts it.)
  std::optional<Section> resume(const Event& event) {
    Thread& self = thread(event.thread);
    if (!self.waiting) return std::nullopt;
    self.waiting = false;
    if (event.op() == Op::acq && event.object == self.wait_lock) return std::nullopt;
    return begin(event.thread, self.wait_lock, false);
  }
  // For an acq or racq.
  Section begin(const Event& event) {
    return begin(event.thread, event.object, event.op() == Op::racq);
  }
  // For a rel, rrel or wait: the section that ends with it.
  Section end(const Event& event) {
    Thread& self = thread(event.thread);
    if (event.op() == Op::wait) {
      self.waiting = true;
      self.wait_lock = event.object;
    }
    const auto place = std::find_if(self.open.rbegin(), self.open.rend(),
                                    [&](const Section& s) { return s.lock == event.object; });
    const Section section = *place;
    self.open.erase(std::next(place).base());
    return section;
  }

  // In the order of their acquires.
  std::span<const Section> of(ThreadId id) { return thread(id).open; }
  // How many sections have begun.
  SectionId count() const { return count_; }
  ThreadId thread_count() const { return static_cast<ThreadId>(threads_.size()); }

 private:
  struct Thread {
    std::vector<Section> open;
    bool waiting = false;
    LockId wait_lock = 0;
  };

  Section begin(ThreadId id, LockId lock, bool shared) {
    return thread(id).open.emplace_back(Section{++count_, lock, shared});
  }
  Thread& thread(ThreadId id) { return slot(threads_, id); }

  std::vector<Thread> threads_;
  SectionId count_ = 0;
};

}  // namespace foretrace::cp
