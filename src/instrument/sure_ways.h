// Ways through a function that control surely goes, unseen by other threads: from one of their
// instructions it comes to the next, whichever branches it takes in between and whatever it reads
// there, and has written nothing that they may reach. A function that goes down into the four parts
// of a node, one after the other, looks for each of them on one way.
#pragma once

#include <cstdint>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PassManager.h>

#include "instrument/sure_code.h"

namespace foretrace::instrument {

class SureWays {
 public:
  SureWays(llvm::Function& function, llvm::FunctionAnalysisManager& manager, const SureCode& sure);

  struct Place {
    uint32_t way;
    uint32_t step;  // greater than that of what comes before it on the way
  };
  // Of a load that was in the function from the beginning.
  Place place_of(const llvm::LoadInst& load) const { return places_.at(&load); }

 private:
  // The block that control surely comes to after this one; null if none is known.
  const llvm::BasicBlock* block_behind(const llvm::BasicBlock& block);
  // Whether all between the two is sure.
  bool is_sure_between(const llvm::BasicBlock& first, const llvm::BasicBlock& last);
  bool is_sure_block(const llvm::BasicBlock& block);

  const SureCode& sure_;
  const bool ends_loops_;  // each loop of the function comes to an end
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const llvm::BasicBlock*, bool> sure_blocks_;
  llvm::DenseMap<const llvm::LoadInst*, Place> places_;
};

}  // namespace foretrace::instrument
