// The blocks of a program that should each be atomic (transactions, regions under a
// lock) as its threads do them, and which of them may follow each other.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "lint/context_effects.h"
#include "lint/program.h"
#include "lint/shape.h"
#include "lint/succession.h"

namespace foretrace::lint {

class Blocks {
 public:
  Blocks(const Program& program, const ContextEffects& effects, Shapes& shapes);

  const Succession& succession() const { return *succession_; }
  UnitId units() const { return static_cast<UnitId>(contexts_.size()); }
  ContextId context(UnitId unit) const { return contexts_[unit]; }
  // The op that a node of a unit stands for.
  Place place(UnitId unit, NodeId node) const { return {contexts_[unit], ops_[unit][node]}; }

  // Blocks that are in no other block, the callers' included.
  const std::vector<BlockRef>& outermost() const { return outermost_; }

  const LockRegion& region(const BlockRef& block) const;
  ThreadIndex thread(const BlockRef& block) const;
  // Up to its end, or all that may be done in it.
  const Effects& effects(const BlockRef& block) const { return known_of(block).effects; }
  // An access that is one of its effects.
  Place access(const BlockRef& block, LocationId location, bool write) const;
  // Locks that are held in it: its own, those around it and the callers'.
  std::vector<HeldLock> locks(const BlockRef& block) const;
  // Locks that are held all the time from one node of a pair to the other.
  std::vector<HeldLock> around(UnitId unit, NodeId first, NodeId second) const;

 private:
  class UnitBuilder;
  void find_quiet();
  // Equal locks have equal numbers.
  uint32_t number_of(ContextId context, const Path& lock);
  static uint32_t number_of(LocationId lock) { return lock; }

  const Program& program_;
  const ContextEffects& context_effects_;
  Shapes& shapes_;
  std::vector<ContextId> contexts_;  // by unit
  std::map<ContextId, UnitId> unit_of_;
  // Units that come back, and neither they nor what they call has a block. No recursion.
  std::vector<bool> quiet_;
  std::vector<std::vector<uint32_t>> ops_;         // by unit and node: the op's id
  std::map<BlockRef, const LockRegion*> regions_;  // by begin
  std::map<std::pair<std::vector<LocationId>, Path>, uint32_t> unclear_locks_;
  std::vector<BlockRef> outermost_;
  std::unique_ptr<Succession> succession_;
  // Blocks of one region and thread that do the same are alike, whatever their contexts
  // are, and share what is known of them.
  struct Kind {
    ThreadIndex thread = 0;
    const LockRegion* region = nullptr;
    uint32_t lock = 0;
    std::vector<uint32_t> effects;  // locations, and what is done to them
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  uint32_t kind_of(ContextId context, const LockRegion& region, uint32_t lock, bool& silent);
  std::map<Kind, uint32_t> kinds_;
  std::map<BlockRef, uint32_t> kind_of_block_;  // by begin
  struct Known {
    Effects effects;
    ContextId context = 0;  // of the first block that was asked for
    const std::vector<uint32_t>* ops = nullptr;
  };
  const Known& known_of(const BlockRef& block) const;
  mutable std::map<std::pair<uint32_t, uint32_t>, Known> known_;  // by kind and release
};

}  // namespace foretrace::lint
