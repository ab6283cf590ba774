// Code from which control surely goes on to what is behind it, unseen by other threads, and with
// nothing written that they may reach: the walk down a tree, whatever it reads there.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>

#include "instrument/private_memory.h"
#include "instrument/quiet_functions.h"

namespace foretrace::instrument {

class SureCode {
 public:
  // Looks at the module as it is: while it has no hooks.
  SureCode(const llvm::Module& module, const PrivateMemory& private_memory);

  bool contains(const llvm::Instruction& instruction) const;

 private:
  // Of one that is no call of one of these functions.
  bool is_sure(const llvm::Instruction& instruction) const;
  bool may_write_shared(const llvm::Instruction& instruction) const;

  const PrivateMemory& private_memory_;
  Functions functions_;  // all instructions of which are contained
};

}  // namespace foretrace::instrument
