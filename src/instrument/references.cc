#include "instrument/references.h"

#include <llvm/IR/InstIterator.h>

namespace foretrace::instrument {

// PreparePass marks loads of references; of one that LLVM has put beside them, to have the
// value on another way, it is known by what it loads from.
References::References(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load != nullptr && load->hasMetadata(llvm::LLVMContext::MD_nosanitize)) {
      places_.insert(load->getPointerOperand());
    }
  }
}

bool References::is_constant(const llvm::LoadInst& load) const {
  if (load.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return true;
  return load.getType()->isPointerTy() && !load.isVolatile() &&
         places_.contains(load.getPointerOperand());
}

}  // namespace foretrace::instrument
