#include "instrument/quiet_functions.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "instrument/names.h"

namespace foretrace::instrument {

bool is_defined_here(const llvm::Function& function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.isPresplitCoroutine();
}

const llvm::Function* callee_of(const llvm::Instruction& instruction) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr ? call->getCalledFunction() : nullptr;
}

// All are in it that are not found to be otherwise.
Functions closed_under_calls(const llvm::Module& module, Functions functions,
                             llvm::function_ref<bool(const llvm::Instruction&)> is_allowed) {
  llvm::DenseMap<const llvm::Function*, llvm::SmallVector<const llvm::Function*, 4>> callers;
  llvm::SmallVector<const llvm::Function*, 32> left;
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const llvm::Function* const callee = callee_of(instruction);
      if (callee != nullptr && functions.contains(callee)) {
        callers[callee].push_back(&function);
      } else if (!is_allowed(instruction)) {
        left.push_back(&function);
        break;
      }
    }
  }
  while (!left.empty()) {
    const llvm::Function* const function = left.pop_back_val();
    if (!functions.erase(function)) continue;
    left.append(callers[function]);
  }
  return functions;
}

bool may_be_quiet(const llvm::Instruction& instruction) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return is_quiet(instruction);
  const llvm::Function* const callee = call->getCalledFunction();
  return !call->isInlineAsm() && !is_synchronisation(*call) && !is_allocation(*call) &&
         !may_synchronise(*call) && (callee == nullptr || callee->isDeclaration());
}

Functions quiet_functions(const llvm::Module& module) {
  Functions functions;
  for (const llvm::Function& function : module) {
    if (is_defined_here(function)) functions.insert(&function);
  }
  return closed_under_calls(module, std::move(functions), may_be_quiet);
}

}  // namespace foretrace::instrument
