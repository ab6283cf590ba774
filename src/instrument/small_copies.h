// Copies of small structures: one read and one write, like those of numbers.
#pragma once

#include <llvm/IR/Function.h>

namespace foretrace::instrument {

// LLVM has made the smaller ones loads and stores already; these have 16 bytes.
void make_small_copies_accesses(llvm::Function& function);

}  // namespace foretrace::instrument
