// Loads that tell nothing: of what never changes, and of references, which are bound once and for
// all. What a reference is bound to is another matter.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace foretrace::instrument {

class References {
 public:
  explicit References(const llvm::Function& function);

  // Whether a load of the function is one of these.
  bool is_constant(const llvm::LoadInst& load) const;

 private:
  llvm::SmallPtrSet<const llvm::Value*, 16> places_;  // where references are
};

}  // namespace foretrace::instrument
