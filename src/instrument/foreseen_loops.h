// Loops whose course is foreseen: how often they go round, and which of their
// instructions they come to, does not depend on what they read, but for variables at
// constant places (a bound, the start of an array) that they do not write. Such reads
// *steer* the loop. LLVM could not take them out of the loop because it does not know
// which variables a pointer may point to; the runtime sees that.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

namespace foretrace::instrument {

class ForeseenLoops {
 public:
  // Whether the runtime will see accesses by a pointer.
  using IsRecorded = llvm::function_ref<bool(const llvm::Value* pointer)>;
  ForeseenLoops(llvm::Function& function, llvm::FunctionAnalysisManager& manager,
                IsRecorded is_recorded);

  // The outermost foreseen loop that it is in; null if there is none.
  const llvm::Loop* loop_of(const llvm::Instruction& instruction) const;
  // Whether an access in such a loop is at a place that is foreseen too.
  bool is_foreseen(const llvm::Instruction& access) const { return foreseen_.contains(&access); }
  bool steers(const llvm::Instruction& access) const { return steering_.contains(&access); }

 private:
  void find(const llvm::Loop& loop, IsRecorded is_recorded);

  const llvm::LoopInfo& loops_;
  llvm::SmallPtrSet<const llvm::Loop*, 4> outermost_;
  llvm::DenseSet<const llvm::Instruction*> foreseen_;
  llvm::DenseSet<const llvm::Instruction*> steering_;
};

}  // namespace foretrace::instrument
