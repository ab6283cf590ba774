// Puts calls of the runtime's hooks in front of accesses to memory that threads
// may share, around atomic operations, and before calls whose place matters.
#pragma once

#include <llvm/IR/PassManager.h>

namespace foretrace::instrument {

// First, before any optimisation: notes names that optimisation loses, and
// forbids it to read or write memory where the program does not.
class PreparePass : public llvm::PassInfoMixin<PreparePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }  // also for functions that are not optimised
};

// After inlining and the removal of what is not needed, before loops are
// unrolled and vectorised.
class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

}  // namespace foretrace::instrument
