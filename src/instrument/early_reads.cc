#include "instrument/early_reads.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "instrument/as_number.h"

namespace foretrace::instrument {

void EarlyReads::add(llvm::CallInst& hook, llvm::LoadInst& load, llvm::LoadInst& early) {
  llvm::IRBuilder<> builder(&hook);
  // Of what was never written the program itself may not ask what it is.
  llvm::Value* const now = builder.CreateFreeze(as_number(builder, load));
  llvm::Value* const before = builder.CreateFreeze(as_number(builder, early));
  reads_.push_back({&hook, builder.CreateICmpNE(now, before)});
}

void EarlyReads::skip_hooks() {
  for (const Read& read : reads_) {
    llvm::Instruction* const then = llvm::SplitBlockAndInsertIfThen(
        read.differs, read.hook, false,
        llvm::MDBuilder(read.hook->getContext()).createUnlikelyBranchWeights());
    read.hook->moveBefore(then->getIterator());
  }
  reads_.clear();
}

}  // namespace foretrace::instrument
