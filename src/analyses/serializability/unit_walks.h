// The predictive form for a unit and another thread's program: what the other
// thread does first comes after the unit, what it does later before it.
#pragma once

#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "analyses/serializability/tangle.h"
#include "analyses/serializability/unit_rings.h"
#include "analyses/serializability/use.h"
#include "analyses/serializability/walk.h"
#include "base/hash.h"
#include "order/lockset.h"

namespace foretrace::serializability {

// Collects tangles whose other side is a walk: two uses of one thread, in different
// units or outside of units, the first before the second in its program.
//
// Each unit is compared with the last uses of the other threads when it ends, and
// with their next ones: for each label a few units, and for each of them a few
// times. left_out() counts what was not tried. For each `in`, and each `back_in`,
// the first `back_out` of the walk is enough: an earlier event is before whatever a
// later one is before. Nothing that the unit uses between `out` and `back_in`
// conflicts with the walk: else that would do in place of one of the two, or one
// of the walk's uses alone gets between (see Intrusion).
class UnitWalks {
 public:
  explicit UnitWalks(LocksetTable& locksets) : locksets_(locksets), rings_(locksets) {}

  // In a unit or not; `unit` is the number of the outermost one, 0 is none, and
  // `label` its label.
  void use(const Use& use, uint64_t unit, uint32_t label);
  void release(ThreadId thread, LockId lock, uint64_t index);
  // The outermost unit is over.
  void end(ThreadId thread, uint32_t label, uint64_t unit);

  // Compares what has not been compared yet.
  std::vector<Tangle> take();
  // After take(): what needs several other threads.
  std::vector<Ring> take_rings() { return rings_.take(); }
  uint64_t left_out() const { return left_out_ + rings_.left_out(); }

 private:
  static constexpr size_t kUses = 64;    // of a unit that are compared
  static constexpr size_t kWalk = 128;   // uses of a walk; half of them are also in the next
  static constexpr size_t kUnits = 8;    // of a label that are kept
  static constexpr size_t kLooks = 128;  // at walks for units of a label
  static constexpr size_t kAlike = 4;    // tangles of a group

  struct Label {
    std::vector<PastUnit> latest;
    size_t looks = 0;
  };
  struct Group {
    size_t tried = 0;
    bool observed = false;
  };

  bool may_look(Label& label);
  void roll(Walk& walk, ThreadId thread);
  void compare_with_units(const Walk& walk, ThreadId thread);
  // With all that the threads have done last.
  void look_for_rings();
  void compare(uint32_t label, const PastUnit& unit, const Walk& walk);
  void try_walk(uint32_t label, const PastUnit& unit, const Walk& walk, const WalkStep& in,
                const Use& back_in);
  Group& group_of(const Tangle& tangle);

  LocksetTable& locksets_;
  std::vector<Walk> walks_;                                      // by thread
  std::vector<Label> labels_;                                    // by label
  tsl::robin_map<uint64_t, size_t, IntegerHash> group_numbers_;  // places in groups_
  std::vector<Group> groups_;
  tsl::robin_set<uint64_t, IntegerHash> seen_;  // by group and ends: walks overlap
  std::vector<Tangle> found_;
  UnitRings rings_;
  uint64_t rolls_ = 0;           // of all walks
  uint64_t rolls_at_rings_ = 0;  // when rings were looked for last
  uint64_t left_out_ = 0;
};

}  // namespace foretrace::serializability
