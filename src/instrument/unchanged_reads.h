// Hooks of reads that a loop makes in every round, of variables that steer it
// (foreseen_loops.h): there is something to say in the first round, and when what was read is
// not what it was.
#pragma once

#include <vector>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

namespace foretrace::instrument {

class UnchangedReads {
 public:
  // The hook of a load, directly behind it. The loop has a preheader.
  void add(llvm::CallInst& hook, llvm::LoadInst& load, const llvm::Loop& loop);
  // From now on each hook is only called in the first round of its loop that comes to it, and
  // where the address or the value is not that of the time before.
  void skip_hooks();
  // At the end, when there are no more blocks to come.
  void keep_in_registers();

 private:
  struct Read {
    llvm::CallInst* hook;
    llvm::LoadInst* load;
    llvm::Value* number;      // what was read
    llvm::AllocaInst* known;  // whether there was a time before, in this loop,
    llvm::AllocaInst* pointer;
    llvm::AllocaInst* value;  // and the address and number then
  };
  static void skip(const Read& read);

  std::vector<Read> reads_;
};

}  // namespace foretrace::instrument
