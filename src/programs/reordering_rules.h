// Which events may come next in a trace that is equivalent to another.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/stream.h"

namespace foretrace::programs {

// What the traces have in common with the one that they come from.
enum class Equivalence {
  // The same happens-before relation (paper 000, chapter 7 and section 24.6):
  // only operations that do not conflict change places. Clashing accesses that
  // nothing orders do.
  happens_before,
  // Correct reorderings (Definition 7) that contain every event: program order,
  // and every read sees the write that it saw. Critical sections may change places.
  correct_reordering,
};

// How far the threads are, and what the next events depend on.
struct ReorderingState {
  std::vector<uint32_t> done;        // by thread: events
  std::vector<uint32_t> last_write;  // by location; kNoEvent: none
  std::vector<uint32_t> owned;       // by lock: 1 if somebody has it
  std::vector<uint32_t> readers;     // by lock
  auto operator<=>(const ReorderingState&) const = default;
};
inline constexpr uint32_t kNoEvent = UINT32_MAX;

// Which event may come next.
class ReorderingRules {
 public:
  ReorderingRules(const Trace& trace, Equivalence equivalence);

  ReorderingState start() const;
  // The enabled event with the lowest index that is greater than `after`
  // (kNoEvent: any); kNoEvent if there is none.
  uint32_t next_enabled(const ReorderingState& state, uint32_t after) const;
  // What to give to undo() is returned.
  uint32_t apply(ReorderingState& state, uint32_t event) const;
  void undo(ReorderingState& state, uint32_t event, uint32_t former_write) const;

  size_t event_count() const { return events_; }

 private:
  friend class HappensBeforeRules;
  friend class CorrectReorderingRules;

  // An event, as far as it matters here.
  struct Rule {
    std::vector<uint32_t> needs;     // all of these come before
    std::vector<uint32_t> one_of;    // and one of these at least
    uint32_t takes = kNoEvent;       // a lock
    uint32_t takes_back = kNoEvent;  // a lock, at the end of a wait
    uint32_t gives = kNoEvent;       // a lock
    bool shared = false;             // `takes` or `gives` is for reading
    uint32_t location = kNoEvent;
    bool reads = false;
    bool writes = false;
    uint32_t writer = kNoEvent;  // of a read: what it sees
  };

  bool is_done(const ReorderingState& state, uint32_t event) const;
  bool is_enabled(const ReorderingState& state, uint32_t event) const;

  const Trace& trace_;
  size_t events_ = 0;  // that mean something
  size_t locations_ = 0;
  size_t locks_ = 0;
  bool correct_reordering_;
  std::vector<std::vector<uint32_t>> threads_;  // events
  std::vector<uint32_t> place_;                 // by event: in its thread
  std::vector<Rule> rules_;                     // by event
};

}  // namespace foretrace::programs
