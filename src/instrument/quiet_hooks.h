// Calls of hooks that do nothing unless somebody records or steers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ValueHandle.h>

namespace foretrace::instrument {

// A hook knows by its frame whose it is. One that a function would jump to when all else is done
// has the frame of one that the function's caller calls.
llvm::CallInst& create_hook_call(llvm::IRBuilder<>& builder, llvm::FunctionCallee hook,
                                 llvm::ArrayRef<llvm::Value*> arguments);

class QuietHooks {
 public:
  // `active`: only while that is so (runtime/active.h). `unless`: what another of these calls
  // returned, which is null where that one was not made.
  llvm::CallInst& call(llvm::IRBuilder<>& builder, llvm::FunctionCallee hook,
                       llvm::ArrayRef<llvm::Value*> arguments,
                       std::optional<uint8_t> active = std::nullopt,
                       llvm::Value* unless = nullptr) {
    calls_.push_back({&create_hook_call(builder, hook, arguments), active, unless, nullptr});
    return *calls_.back().call;
  }
  // Only if that holds, which it does not where nobody records or steers.
  void call_if(llvm::Value* condition, llvm::IRBuilder<>& builder, llvm::FunctionCallee hook,
               llvm::ArrayRef<llvm::Value*> arguments) {
    calls_.push_back(
        {&create_hook_call(builder, hook, arguments), std::nullopt, nullptr, condition});
  }

  // At the end: makes new blocks. From now on they cost little more than a branch.
  void skip_if_inactive(llvm::GlobalVariable* active);

 private:
  struct Call {
    llvm::CallInst* call;
    std::optional<uint8_t> active;
    llvm::WeakTrackingVH unless;
    llvm::WeakTrackingVH only_if;
  };
  std::vector<Call> calls_;
};

}  // namespace foretrace::instrument
