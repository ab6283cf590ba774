// What has been read as a number, to compare it.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace foretrace::instrument {

// Whether what a load reads has a number that is the same for the same bytes.
bool has_number(const llvm::LoadInst& load);
llvm::Value* as_number(llvm::IRBuilder<>& builder, llvm::LoadInst& load);

}  // namespace foretrace::instrument
