#include "instrument/sure_code.h"

#include <utility>

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "instrument/names.h"

namespace foretrace::instrument {
namespace {

// An endless loop in which nothing happens is none that C++ allows, and LLVM marks what is
// compiled so.
bool may_run_for_ever(const llvm::Function& function) {
  if (function.mustProgress()) return false;
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back;
  llvm::FindFunctionBackedges(function, back);
  return !back.empty();
}

}  // namespace

SureCode::SureCode(const llvm::Module& module, const PrivateMemory& private_memory)
    : private_memory_(private_memory) {
  Functions functions;
  for (const llvm::Function& function : module) {
    if (is_defined_here(function) && !function.doesNotReturn() && !may_run_for_ever(function)) {
      functions.insert(&function);
    }
  }
  functions_ = closed_under_calls(
      module, std::move(functions),
      [this](const llvm::Instruction& instruction) { return is_sure(instruction); });
}

bool SureCode::contains(const llvm::Instruction& instruction) const {
  const llvm::Function* const callee = callee_of(instruction);
  return (callee != nullptr && functions_.contains(callee)) || is_sure(instruction);
}

bool SureCode::is_sure(const llvm::Instruction& instruction) const {
  return may_be_quiet(instruction) && is_quiet(instruction) && !instruction.isVolatile() &&
         !instruction.mayThrow() && !may_write_shared(instruction);
}

bool SureCode::may_write_shared(const llvm::Instruction& instruction) const {
  if (!instruction.mayWriteToMemory()) return false;
  if (const auto* known = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      known != nullptr && known->isAssumeLikeIntrinsic()) {
    return false;
  }
  const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store == nullptr || private_memory_.may_be_shared(store->getPointerOperand());
}

}  // namespace foretrace::instrument
