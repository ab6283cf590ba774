// Loops that read what they have written: not all of their accesses can be ranges.
#pragma once

#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include "instrument/access.h"
#include "instrument/loop_ranges.h"

namespace foretrace::instrument {

// A range is recorded in front of its loop or behind it. If the loop reads what an earlier round
// wrote, the range could then stand in front of a write that it sees, or behind one that came after
// it. So accesses that may meet others of the loop, or what functions do that it calls, are ranges
// no more; but
// - what is read at one place in each round is one range,
// - ranges that go the same way stay, if none reads what was written, or if what is read of that
//   can be left out when the loop begins (RangeHooks::leave_out_written()),
// - of other ranges it is asked when the loop begins whether they lie apart, and of those beside
//   single accesses whether they are outside of the blocks of memory that these start from
//   (Access::if_apart). If not, their accesses are looked at one by one.
struct RangePair {
  const llvm::Instruction* read;
  const llvm::Instruction* write;
};
// What single accesses that may meet a range start from.
struct RangeAndPointer {
  const llvm::Instruction* range;
  llvm::Value* pointer;
  bool operator==(const RangeAndPointer&) const = default;
};
// What is to be asked when a loop begins.
struct Comparison {
  // Whether these lie apart,
  llvm::SmallVector<RangePair, 4> ranges;
  // and whether these lie outside of the block that the pointer belongs to.
  llvm::SmallVector<RangeAndPointer, 4> pointers;

  bool is_empty() const { return ranges.empty() && pointers.empty(); }
};
using RangesToCompare = llvm::MapVector<const llvm::Loop*, Comparison>;

RangesToCompare keep_order_of_ranges(
    std::vector<Access>& accesses, llvm::ArrayRef<llvm::CallBase*> calls, LoopRanges& ranges,
    llvm::function_ref<bool(const llvm::Instruction& read)> steers);

}  // namespace foretrace::instrument
