// Must-before (paper 000, Definition 8) computed straight from its definition.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "trace/stream.h"

namespace foretrace::testing {

// The smallest transitive relation with the edges that docs/analyses/mb.md lists,
// as a matrix. Each event has two nodes: its entry, which is after the thread's
// earlier events, the thread's fork, and the wait or barrier that the event
// resumes from; and the event itself.
class ReferenceMustBefore {
 public:
  explicit ReferenceMustBefore(const Trace& trace);

  // Event a must come before event b.
  bool before(size_t a, size_t b) const { return has(event(a), event(b)); }
  // ... and before something that comes before b in b's thread.
  bool before_entry(size_t a, size_t b) const { return has(event(a), entry(b)); }

  // The clashing pairs (a, b) that are must-before races (chapter 14).
  std::set<std::pair<uint64_t, uint64_t>> races() const;

 private:
  struct Section {
    LockId lock;
    ThreadId thread;
    bool shared;
    size_t acquire;  // nodes
    size_t release;
  };
  static size_t entry(size_t index) { return 2 * index; }
  static size_t event(size_t index) { return 2 * index + 1; }
  bool has(size_t from, size_t to) const { return (rows_[from][to / 64] >> (to % 64) & 1) != 0; }
  void add(size_t from, size_t to) { rows_[from][to / 64] |= uint64_t{1} << (to % 64); }

  void add_program_order();
  void add_clashes();
  void add_threads();
  void add_waits();
  void add_barriers();
  void find_sections();
  void close();
  bool apply_condition_3();

  const Trace& trace_;
  std::vector<std::vector<uint64_t>> rows_;
  std::vector<Section> sections_;
};

}  // namespace foretrace::testing
