// Loops that read what they have written: not all of their accesses can be ranges.
#pragma once

#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>

#include "instrument/access.h"
#include "instrument/loop_ranges.h"

namespace foretrace::instrument {

// A range is recorded in front of its loop or behind it. Of what starts from the same pointer, a
// loop may read what an earlier round wrote, and the range would then stand in front of a write
// that it sees, or behind one that came after it. Where that may be, an access is a range no more;
// or, what is read at one place in each round is one.
// What starts from different pointers is taken to be different memory, if its distance is not
// known when the loop begins.
void keep_order_of_ranges(std::vector<Access>& accesses, llvm::ArrayRef<llvm::CallBase*> calls,
                          LoopRanges& ranges,
                          llvm::function_ref<bool(const llvm::Instruction& read)> steers);

}  // namespace foretrace::instrument
