// SideTrack (paper 000, Figure 20.3) written out with the relations that its
// vector clocks stand for, for each unit on its own.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "property/reference_order.h"
#include "trace/stream.h"

namespace foretrace::testing {

// An acquire, or the end of a wait, which is its thread's next event.
struct ReferenceAcquire {
  size_t index;
  ThreadId thread;
  LockId lock;
  bool shared;
  std::vector<size_t> units;       // the begins of those that it is in, outermost first
  std::optional<size_t> release;   // the event that ends the section
  std::optional<LockId> regained;  // the lock that the same event has taken back before
};
std::vector<ReferenceAcquire> reference_acquires(const Trace& trace);

class ReferenceSideTrack {
 public:
  explicit ReferenceSideTrack(const Trace& trace);

  // Event a happens before something that enables the acquire (chapter 19): then
  // the acquire cannot be moved before a.
  bool known(size_t a, const ReferenceAcquire& acquire) const;
  const std::vector<ReferenceAcquire>& acquires() const { return acquires_; }

  // The errors: "before" and "in" with the lock and both acquires of the window;
  // "after" with the lock and the culprit, twice.
  using Error = std::tuple<std::string, LockId, size_t, size_t>;
  const std::set<Error>& errors() const { return errors_; }

 private:
  void check_before(size_t k);
  void check_in(size_t k);
  void check_after(size_t k);
  bool has_culprit_before(size_t first, size_t second) const;
  std::optional<size_t> last_exclusive(LockId lock, size_t before) const;
  std::optional<size_t> window_begin(size_t k) const;

  const Trace& trace_;
  Relation happens_before_;
  Relation enters_;                         // what a thread knows when it is about to do an event
  std::vector<ReferenceAcquire> acquires_;  // in the order of the trace
  std::set<Error> errors_;
};

}  // namespace foretrace::testing
