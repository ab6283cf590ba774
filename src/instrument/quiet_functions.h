// Functions of a module that other threads do not notice.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Module.h>

namespace foretrace::instrument {

using Functions = llvm::DenseSet<const llvm::Function*>;

// Whether a function's code is here, and surely is what runs.
bool is_defined_here(const llvm::Function& function);

// What an instruction calls, if that is known.
const llvm::Function* callee_of(const llvm::Instruction& instruction);

// Those of the functions that call only each other, and of whose other instructions all are
// allowed. So are those that only call each other.
Functions closed_under_calls(const llvm::Module& module, Functions functions,
                             llvm::function_ref<bool(const llvm::Instruction&)> is_allowed);

// Whether an instruction does not synchronise, allocate or give back memory, as far as it says
// so itself: of calls of functions that are defined here their instructions say more.
bool may_be_quiet(const llvm::Instruction& instruction);

// Those of which all instructions are so, also in what they call.
Functions quiet_functions(const llvm::Module& module);

}  // namespace foretrace::instrument
