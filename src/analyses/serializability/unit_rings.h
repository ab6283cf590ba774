// The predictive form for three threads and more: a unit comes before something
// that another thread does, that thread before a third one, and so on, and the
// last of them before the unit.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "analyses/serializability/walk.h"
#include "base/hash.h"
#include "order/lockset.h"

namespace foretrace::serializability {

// The ends of the edges: out of the unit, into another thread, out of that thread,
// …, back into the unit. Within a thread the way from one to the next is in one
// unit, or follows the program.
struct Ring {
  std::vector<Use> ends;
  std::vector<uint32_t> labels;  // of the unit, and of those in which a thread stays
  uint64_t group = 0;            // those with the same labels have the same

  bool in_trace() const;
};

// Collects rings. Those through the same labels are one error, however many show
// it; a few that do not look alike are tried. If the trace itself shows one, the
// others are not proposed. left_out() counts what was not tried.
class UnitRings {
 public:
  explicit UnitRings(LocksetTable& locksets) : locksets_(locksets) {}

  struct Candidate {
    uint32_t label;
    const PastUnit* unit;
  };
  // Looks for rings from units through the walks of other threads, by number.
  void look(const std::vector<Candidate>& units, const std::vector<Walk>& walks);

  std::vector<Ring> take();
  uint64_t left_out() const { return left_out_; }

 private:
  static constexpr size_t kWork = 200'000;  // conflicts that one look follows
  static constexpr size_t kAlike = 2;       // rings of a group by the same sites
  static constexpr size_t kTried = 32;      // rings of a group

  struct Group {
    size_t tried = 0;
    bool observed = false;
  };
  class Search;

  void add(Ring ring);

  LocksetTable& locksets_;
  tsl::robin_map<uint64_t, size_t, IntegerHash> group_numbers_;  // places in groups_
  std::vector<Group> groups_;
  tsl::robin_map<uint64_t, size_t, IntegerHash> alike_;  // by group and sites
  tsl::robin_set<uint64_t, IntegerHash> seen_;           // by edges
  std::vector<Ring> found_;
  uint64_t left_out_ = 0;
};

}  // namespace foretrace::serializability
