#include "instrument/quiet_hooks.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "runtime/active.h"

namespace foretrace::instrument {

// Who builds with hooks also records, so LLVM is not told that calls are rare: out of line they
// would be slower.
void QuietHooks::skip_if_inactive(llvm::GlobalVariable* active) {
  for (const auto& [call, when] : calls_) {
    llvm::IRBuilder<> builder(call);
    llvm::Value* const now = builder.CreateLoad(builder.getInt8Ty(), active);
    llvm::Value* const is_called =
        when ? builder.CreateICmpEQ(now, builder.getInt8(*when)) : builder.CreateIsNotNull(now);
    llvm::MDBuilder weights(call->getContext());
    llvm::Instruction* const then = llvm::SplitBlockAndInsertIfThen(
        is_called, call, false,
        when == runtime::kSteering ? weights.createUnlikelyBranchWeights()
                                   : weights.createBranchWeights(1, 1));
    call->moveBefore(then->getIterator());
  }
  calls_.clear();
}

}  // namespace foretrace::instrument
