// Hooks for what loops over arrays access: one for all rounds.
#pragma once

#include <optional>
#include <vector>

#include "instrument/access.h"
#include "instrument/hooks.h"
#include "instrument/loop_ranges.h"
#include "instrument/quiet_hooks.h"
#include "instrument/range_order.h"
#include "instrument/sites.h"

namespace foretrace::instrument {

class RangeHooks {
 public:
  // Of the accesses of a function in the order of the program, and its calls.
  RangeHooks(const std::vector<Access>& accesses, llvm::ArrayRef<llvm::CallBase*> calls,
             LoopRanges& ranges, const RangesToCompare& to_compare, const Hooks& hooks,
             SiteTable& sites, QuietHooks& quiet_hooks)
      : accesses_(accesses),
        calls_(calls),
        ranges_(ranges),
        to_compare_(to_compare),
        hooks_(hooks),
        sites_(sites),
        quiet_hooks_(quiet_hooks) {}

  // Reads are recorded behind the loop and writes in front of it, as single accesses are. But
  // where a loop does more than read, its reads are recorded in front of the rest: else they would
  // seem to see what the loop has written, and what was found by a read would come before it.
  void insert();

  // Of an access that is a range only if those of its loop lie apart: whether it is to be looked
  // at by itself. That is known before the loop, and false if nobody records or steers.
  llvm::Value* are_single(const Access& access);

 private:
  // Accesses that have a hook together.
  struct Row {
    std::vector<size_t> members;  // in the order of their addresses; the first one has the range
    uint32_t bytes;               // of all of them in one round
    bool behind;                  // the loop
    // Of a write of what the loop reads too: whether all of it was written in this stretch
    // before. Then neither the read nor the write is recorded.
    llvm::Value* is_known = nullptr;
  };

  void note_busy_loops();
  std::vector<Row> rows(bool write);
  const Access& first_of(const Row& row) const { return accesses_[row.members.front()]; }
  bool is_same(const Row& one, const Row& other) const;
  // Null if the loop does not write what it reads.
  llvm::Value* find_known(const Row& read, std::vector<Row>& writes);
  void insert(const Row& row, llvm::Value* is_known);
  void insert_at(const Row& row, const LoopRange& range, const LoopRanges::Place& place,
                 std::optional<uint8_t> when, llvm::Value* is_known);
  void leave_out_written(LoopRanges::Place& place, const Access& read);
  llvm::Constant* site_of(const Row& row);
  struct Extent {
    llvm::Value* first;
    llvm::Value* end;
  };
  Extent extent_of(const Access& access, llvm::IRBuilder<>& builder);

  const std::vector<Access>& accesses_;
  llvm::ArrayRef<llvm::CallBase*> calls_;
  LoopRanges& ranges_;
  const RangesToCompare& to_compare_;
  const Hooks& hooks_;
  SiteTable& sites_;
  QuietHooks& quiet_hooks_;
  llvm::SmallPtrSet<const llvm::Loop*, 8> busy_;
  llvm::DenseMap<const llvm::Loop*, llvm::Value*> are_single_;
};

}  // namespace foretrace::instrument
