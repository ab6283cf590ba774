// Calls of hooks that do nothing unless somebody records or steers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <llvm/IR/IRBuilder.h>

namespace foretrace::instrument {

class QuietHooks {
 public:
  // `active`: only while that is so (runtime/active.h).
  llvm::CallInst& call(llvm::IRBuilder<>& builder, llvm::FunctionCallee hook,
                       llvm::ArrayRef<llvm::Value*> arguments,
                       std::optional<uint8_t> active = std::nullopt) {
    calls_.push_back({builder.CreateCall(hook, arguments), active});
    return *calls_.back().call;
  }

  // At the end: makes new blocks. From now on they cost little more than a branch.
  void skip_if_inactive(llvm::GlobalVariable* active);

 private:
  struct Call {
    llvm::CallInst* call;
    std::optional<uint8_t> active;
  };
  std::vector<Call> calls_;
};

}  // namespace foretrace::instrument
