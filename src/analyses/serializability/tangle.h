// What can be wrong between a unit and another thread that use two things.
#pragma once

#include <cstdint>
#include <vector>

#include "analyses/serializability/use.h"
#include "order/lockset.h"

namespace foretrace::serializability {

// Conflicting uses: `out` in a unit with `in` of another thread, and `back_out` of
// that thread with `back_in` in the unit. If out comes before in, and back_out
// before back_in, the unit is not serializable: `in` and `back_out` are in one
// unit, too, or `in` comes before `back_out` in the program.
struct Tangle {
  Use out;
  Use in;
  Use back_out;
  Use back_in;
  uint32_t label = 0;        // of the unit, outermost
  uint32_t other_label = 0;  // of the other one, if in_one_unit
  bool in_one_unit = true;   // in and back_out
  uint64_t group = 0;        // those that look alike have the same
};

struct Release {
  LockId lock = 0;
  uint64_t index = 0;
};

// A number for what is used.
inline uint64_t key_of(const Use& use) {
  return uint64_t{use.object} << 1 | (space_of(use.op) == Space::lock ? 1 : 0);
}
inline bool conflict(const Use& a, const Use& b) {
  return key_of(a) == key_of(b) && !(only_reads(a.op) && only_reads(b.op));
}

// The locks that a thread held at both uses, and did not release in between.
LocksetId held_through(LocksetTable& locksets, const std::vector<Release>& releases, const Use& a,
                       const Use& b);

// A number for `key` and what a use looks like: its operation and site or, without
// site, the thing itself.
uint64_t with_looks(uint64_t key, const Use& use);
// The same for all of a tangle.
uint64_t looks_of(const Tangle& tangle, uint64_t seed);

}  // namespace foretrace::serializability
