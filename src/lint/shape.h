// A function's control flow as the analyses look at it: its ops in order, the regions
// that its locks make, and what decides whether an op is done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "lint/loops.h"
#include "lint/summary.h"

namespace foretrace::lint {

// A stretch of code under a lock: from an acquire to the releases that may end it. Calls
// count as well, of functions that come back with the lock or without it (a guard of
// the user's). Where two ways meet, one of them from a second acquire (a wait in an
// `if`), the ops after that are in both regions.
struct LockRegion {
  uint32_t acquire = 0;  // Op::id
  Path lock;
  LockKind kind = LockKind::mutex;
  bool shared = false;
  bool by_wait = false;
  std::vector<uint32_t> ops;  // all that may be done in it; without acquire and releases
  // What is done on the ways to one of the releases.
  struct Exit {
    uint32_t release = 0;
    std::vector<uint32_t> ops;
  };
  std::vector<Exit> exits;
};

class FunctionShape {
 public:
  explicit FunctionShape(const Function& function);

  const Function& function() const { return function_; }
  const Op& op(uint32_t id) const { return *places_.at(id).op; }
  uint32_t block_of(uint32_t id) const { return places_.at(id).block; }
  const std::vector<LockRegion>& regions() const { return regions_; }
  const Loops& loops() const { return loops_; }

  // The blocks whose branches decide whether a block is done, directly or not.
  const std::vector<uint32_t>& deciders(uint32_t block) const {
    return function_.blocks[block].controlled_by;
  }
  // Whether every way from one op to the other passes the branch of a block.
  bool must_pass(uint32_t from_op, uint32_t to_op, uint32_t block) const;
  // Whether an op is done on every way from one op to another.
  bool must_do(uint32_t from_op, uint32_t to_op, uint32_t op) const;
  // Whether one side of a block's branch leads to an exception (or never back), before
  // anything else is decided: a check that only complains.
  bool complains(uint32_t block) const;

 private:
  struct OpPlace {
    const Op* op = nullptr;
    uint32_t block = 0;
    uint32_t index = 0;
  };
  // Positions in the blocks: before op `index`, or the block's end.
  struct Spot {
    uint32_t block = 0;
    uint32_t index = 0;
    friend auto operator<=>(const Spot&, const Spot&) = default;
  };

  void find_region(LockRegion region);
  bool ends(const LockRegion& region, const Op& op) const;
  bool gives_back(const Op& call, const Path& lock) const;
  std::vector<uint32_t> ops_on_the_way(const LockRegion& region, uint32_t release) const;

  const Function& function_;
  std::map<uint32_t, OpPlace> places_;
  std::vector<std::vector<uint32_t>> before_;  // predecessors of blocks
  Loops loops_;
  std::vector<LockRegion> regions_;
};

// Each function's, made when it is first asked for.
class Shapes {
 public:
  const FunctionShape& of(const Function& function);

 private:
  std::map<const Function*, std::unique_ptr<FunctionShape>> known_;
};

}  // namespace foretrace::lint
