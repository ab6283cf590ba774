// Reads that are made once more, early, so that the recorder can look at them together with
// another read of the same object (ReadGroup::later). When the program comes to such a read it has
// been recorded, unless there is another value by then.
#pragma once

#include <vector>

#include <llvm/IR/Instructions.h>

namespace foretrace::instrument {

class EarlyReads {
 public:
  // The hook of a load, behind it, that is only to be called where the load has read other than
  // the early one, which comes to it on all ways.
  void add(llvm::CallInst& hook, llvm::LoadInst& load, llvm::LoadInst& early);
  // From now on it is so.
  void skip_hooks();

 private:
  struct Read {
    llvm::CallInst* hook;
    llvm::Value* differs;
  };
  std::vector<Read> reads_;
};

}  // namespace foretrace::instrument
