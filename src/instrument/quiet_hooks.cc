#include "instrument/quiet_hooks.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/active.h"

namespace foretrace::instrument {
namespace {

// What a call returns that was not always made.
void return_null_otherwise(llvm::CallInst& call, llvm::BasicBlock& behind,
                           llvm::BasicBlock& otherwise) {
  llvm::IRBuilder<> builder(&behind, behind.begin());
  llvm::PHINode* const result = builder.CreatePHI(call.getType(), 2);
  call.replaceAllUsesWith(result);
  result->addIncoming(&call, call.getParent());
  result->addIncoming(llvm::Constant::getNullValue(call.getType()), &otherwise);
}

}  // namespace

llvm::CallInst& create_hook_call(llvm::IRBuilder<>& builder, llvm::FunctionCallee hook,
                                 llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst& call = *builder.CreateCall(hook, arguments);
  call.setTailCallKind(llvm::CallInst::TCK_NoTail);
  return call;
}

// Who builds with hooks also records, so LLVM is not told that calls are rare: out of line they
// would be slower.
void QuietHooks::skip_if_inactive(llvm::GlobalVariable* active) {
  for (const auto& [call, when, unless, only_if] : calls_) {
    llvm::IRBuilder<> builder(call);
    llvm::Value* is_called = only_if;
    if (only_if == nullptr) {
      llvm::Value* const now = builder.CreateLoad(builder.getInt8Ty(), active);
      is_called =
          when ? builder.CreateICmpEQ(now, builder.getInt8(*when)) : builder.CreateIsNotNull(now);
    }
    if (unless != nullptr) is_called = builder.CreateAnd(is_called, builder.CreateNot(unless));
    llvm::MDBuilder weights(call->getContext());
    llvm::BasicBlock* const in_front = call->getParent();
    const bool is_seldom = when == runtime::kSteering || only_if != nullptr;
    llvm::Instruction* const then = llvm::SplitBlockAndInsertIfThen(
        is_called, call, false,
        is_seldom ? weights.createUnlikelyBranchWeights() : weights.createBranchWeights(1, 1));
    call->moveBefore(then->getIterator());
    if (!call->getType()->isVoidTy()) {
      return_null_otherwise(*call, *then->getSuccessor(0), *in_front);
    }
  }
  calls_.clear();
}

}  // namespace foretrace::instrument
