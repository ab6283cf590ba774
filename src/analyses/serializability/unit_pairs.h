// The predictive form for two units and two things: each of the units comes
// before the other, on one of the things.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/serializability/tangle.h"
#include "analyses/serializability/use.h"
#include "base/hash.h"
#include "order/happens_before.h"
#include "order/lockset.h"

namespace foretrace::serializability {

// Collects tangles of units that are over, those that nothing obvious rules out:
// a lock that both units hold all the time between their two uses, or an order by
// fork, join or barrier. For each `in` the first conflicting `out` of the unit is
// enough, and for each `back_in` the first `back_out`: an earlier event is before
// whatever a later one is before.
//
// Two units that can be tangled are one error, however many of their uses show
// it: a group is a pair of labels. If the trace itself shows one, the others of
// the group are not proposed. A unit is compared with the last ones of a few other
// threads that used the same things; left_out() counts what was not tried.
class UnitPairs {
 public:
  UnitPairs(LocksetTable& locksets, HappensBefore& fixed_order)
      : locksets_(locksets), fixed_order_(fixed_order), ring_(kRing) {}

  // In a unit.
  void use(const Use& use);
  void release(ThreadId thread, LockId lock, uint64_t index);
  // The outermost unit is over. `knows_all`: the thread's fixed order did not
  // change since it began.
  void end(ThreadId thread, uint32_t label, bool knows_all);

  std::vector<Tangle> take();
  uint64_t left_out() const { return left_out_; }

 private:
  static constexpr size_t kRing = 4096;  // the last units
  static constexpr size_t kKept = 4;     // units, of so many threads, for each thing
  static constexpr size_t kUses = 64;    // of a unit that are compared
  static constexpr size_t kAlike = 4;    // tangles of a group by the same sites
  static constexpr size_t kTried = 64;   // tangles of a group
  static constexpr size_t kLooks = 256;  // at pairs of units with the same labels

  // Units are numbered; 0 is none.
  using UnitNumber = uint64_t;
  struct Unit {
    UnitNumber number = 0;
    ThreadId thread = 0;
    uint32_t label = 0;
    std::vector<Use> uses;
    std::vector<Release> releases;
    // While a later unit looks for partners: which one, by what it found this one
    // first, and whether it has taken it.
    UnitNumber found_by = 0;
    uint64_t found_with = 0;
    bool taken = false;
  };
  using LatestUnits = std::array<UnitNumber, kKept>;  // the latest last
  struct Group {
    size_t looks = 0;
    size_t tried = 0;
    bool observed = false;
  };

  LatestUnits& latest(const Use& use);
  // Null if so many came since that it is forgotten.
  Unit* unit(UnitNumber number);
  std::vector<const Unit*> others_of(const Unit& unit);
  void remember(const Unit& unit);
  void compare(const Unit& one, const Unit& other);
  struct Conflict {
    const Use* from;
    const Use* to;
  };
  static std::vector<Conflict> conflicts(const Unit& from, const Unit& to);
  void try_tangle(const Unit& one, const Unit& other, const Conflict& there, const Conflict& back);
  Group& group_of(const Unit& one, const Unit& other);

  LocksetTable& locksets_;
  HappensBefore& fixed_order_;
  std::vector<Unit> open_;  // by thread
  std::vector<Unit> ring_;  // by number, modulo its size
  UnitNumber last_number_ = 0;
  std::vector<LatestUnits> of_locations_;  // the last units that used it
  std::vector<LatestUnits> of_locks_;
  tsl::robin_map<uint64_t, size_t, IntegerHash> alike_;            // by group and sites
  tsl::robin_map<uint64_t, uint64_t, IntegerHash> group_numbers_;  // places in groups_
  std::vector<Group> groups_;
  std::vector<Tangle> found_;
  uint64_t left_out_ = 0;
};

}  // namespace foretrace::serializability
