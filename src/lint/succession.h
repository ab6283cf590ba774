// Which blocks may follow each other in a thread: paper 004's trace trees, without
// writing out their paths. A *unit* is a function as it is called; its nodes begin and
// end blocks, and call other units. For each unit the pairs of blocks are found of
// which it is the innermost common caller: the one to blame.
//
// Loops go round and functions recur as often as they like, by a fixpoint: that gives
// the pairs of section 4.4's two rounds, and those that need deeper recursion.
// tests/property/succession_property_test.cc compares with all paths, written out.
//
// With transactions, "follow" means that no other block is in between. With locks
// a block follows the last one of *each* lock: a call that takes a lock of its own (a
// logger) does not hide what happens before and after it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrace::lint {

using UnitId = uint32_t;
using NodeId = uint32_t;
inline constexpr uint32_t kNothing = UINT32_MAX;
using Locks = std::vector<uint32_t>;  // numbers, sorted, each once

struct UnitNode {
  enum class Kind : uint8_t { none, begin, end, call };
  Kind kind = Kind::none;
  uint32_t lock = 0;            // begin, end: a number that equal locks share
  std::vector<NodeId> begun;    // end: where its block may have begun
  std::vector<UnitId> callees;  // call
  // The locks that the unit itself holds around: begin: before it; end: after it;
  // call: during it.
  Locks inside;
  std::vector<NodeId> next;
  // begin: blocks with equal numbers, and of their ends those with equal numbers, are
  // interchangeable: one is enough for callers. kNothing: it is like no other.
  uint32_t alike = kNothing;
  bool silent = false;  // begin: its block is never a part of a pair
};

// Node 0 is the entry. A node without a successor is an exit.
struct Unit {
  std::vector<UnitNode> nodes;
};

// A block: where it begins and, for the first of a pair, where it ends.
struct BlockRef {
  UnitId unit = 0;
  NodeId begin = 0;
  NodeId end = kNothing;
  friend auto operator<=>(const BlockRef&, const BlockRef&) = default;
};

// How a unit comes to a block: the node is the block's own begin or end, or a call.
struct BlockPart {
  NodeId node = 0;
  UnitId callee = kNothing;  // of a call
  BlockRef block;
  friend auto operator<=>(const BlockPart&, const BlockPart&) = default;
};

struct BlockPair {
  BlockPart first;
  BlockPart second;
  // Only from one round of a loop of this unit to the next.
  bool around_loop = false;
};

// The blocks that may have ended last before a node of a unit, and those that may begin there:
// each of the first makes a pair with each of the second that follows it.
struct Meeting {
  struct First {
    BlockPart part;
    uint32_t lock = 0;
    bool around_loop = false;
  };
  struct Second {
    BlockPart part;
    Locks passed;  // of which other blocks have ended before it
    bool follows(const First& first) const {
      return !std::binary_search(passed.begin(), passed.end(), first.lock);
    }
  };
  NodeId node = 0;
  std::vector<First> firsts;
  std::vector<Second> seconds;
};

// Where the calls lead from a unit down to a block: units and their call nodes.
struct ChainLink {
  UnitId unit = 0;
  NodeId call = 0;
};

class Succession {
 public:
  explicit Succession(std::vector<Unit> units);

  // The pairs that the unit itself puts together. There may be very many: they are found
  // when they are asked for, and neither written out nor kept.
  std::vector<Meeting> meetings(UnitId unit) const;
  // The calls from `unit` to the unit that has the block, the first in `unit`.
  std::vector<ChainLink> chain(UnitId unit, const BlockPart& part) const;

 private:
  // A block that a unit can begin with, and locks of which it has certainly ended a
  // block before: it does not follow what those locks protected before the call.
  struct Opening {
    BlockPart part;
    Locks passed;
    uint32_t depth = 0;  // calls down to it on the shortest way, which `part` begins
    friend bool operator==(const Opening&, const Opening&) = default;
  };
  // A block that can be the last of its lock.
  struct Closing {
    BlockPart part;
    uint32_t depth = 0;
    friend bool operator==(const Closing&, const Closing&) = default;
  };
  struct Summary {
    std::vector<Opening> openings;
    std::vector<Closing> closings;
    // Locks of which every way through ends a block. Unset: no way through is known yet.
    bool has_way = false;
    Locks passed;

    friend bool operator==(const Summary&, const Summary&) = default;
  };
  class Walk;

  void solve();
  std::vector<UnitId> callees_first() const;

  std::vector<Unit> units_;
  std::vector<Summary> results_;
};

}  // namespace foretrace::lint
