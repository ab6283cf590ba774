// What a hook of a read begins with, as code of the program: loops read the variables that
// steer them (foreseen_loops.h) in every round, and there is something to record of that in
// the first round only.
#pragma once

#include <cstdint>

#include <llvm/IR/Instructions.h>

#include "runtime/shadow.h"

namespace foretrace::instrument {

// Inlined checks know of reads that are in one granule.
inline constexpr uint64_t kMostChecked = runtime::kGranuleBytes;

// Skips the hook if the thread has recorded a read of these bytes since its last stamp, and
// nobody has written them since: neither another thread, nor, before or after it, this one.
// The hook is alone in its block, and its first argument is the pointer.
void skip_if_repeated(llvm::CallInst& hook, uint64_t bytes);

}  // namespace foretrace::instrument
