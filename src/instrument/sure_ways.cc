#include "instrument/sure_ways.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CFG.h>

namespace foretrace::instrument {

SureWays::SureWays(llvm::Function& function, llvm::FunctionAnalysisManager& manager,
                   const SureCode& sure)
    : sure_(sure),
      ends_loops_(function.mustProgress()),
      dominators_(manager.getResult<llvm::DominatorTreeAnalysis>(function)),
      post_dominators_(manager.getResult<llvm::PostDominatorTreeAnalysis>(function)),
      loops_(manager.getResult<llvm::LoopAnalysis>(function)) {
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> coming;  // the ways that lead to blocks
  uint32_t ways = 0;
  uint32_t step = 0;
  // A block stands behind those that lead to it.
  for (const llvm::BasicBlock* const block :
       llvm::ReversePostOrderTraversal<const llvm::Function*>(&function)) {
    const auto known = coming.find(block);
    uint32_t way = known != coming.end() ? known->second : ++ways;
    for (const llvm::Instruction& instruction : *block) {
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        places_[load] = {way, ++step};
      }
      if (!sure.contains(instruction)) way = ++ways;
    }
    if (const llvm::BasicBlock* behind = block_behind(*block)) coming.try_emplace(behind, way);
  }
  // Blocks that nothing leads to.
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load != nullptr) places_.try_emplace(load, Place{++ways, ++step});
    }
  }
}

const llvm::BasicBlock* SureWays::block_behind(const llvm::BasicBlock& block) {
  const auto* const node = post_dominators_.getNode(&block);
  const auto* const next = node != nullptr ? node->getIDom() : nullptr;
  const llvm::BasicBlock* const behind = next != nullptr ? next->getBlock() : nullptr;
  const bool is_behind = behind != nullptr && behind != &block &&
                         dominators_.dominates(&block, behind) &&
                         loops_.getLoopFor(&block) == loops_.getLoopFor(behind);
  return is_behind && is_sure_between(block, *behind) ? behind : nullptr;
}

bool SureWays::is_sure_between(const llvm::BasicBlock& first, const llvm::BasicBlock& last) {
  constexpr size_t kMostBlocks = 64;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen = {&last};
  llvm::SmallVector<const llvm::BasicBlock*, 16> left;
  const auto add_successors = [&](const llvm::BasicBlock& block) {
    for (const llvm::BasicBlock* const next : llvm::successors(&block)) {
      if (seen.insert(next).second) left.push_back(next);
    }
  };
  const llvm::Loop* const loop = loops_.getLoopFor(&first);
  add_successors(first);
  while (!left.empty()) {
    const llvm::BasicBlock& block = *left.pop_back_val();
    // In the next round it would be another read.
    const bool goes_round = &block == &first || (loop != nullptr && loop->getHeader() == &block);
    const bool is_in_inner_loop = loops_.getLoopFor(&block) != loop;
    if (seen.size() > kMostBlocks || !is_sure_block(block) || goes_round ||
        (is_in_inner_loop && !ends_loops_)) {
      return false;
    }
    add_successors(block);
  }
  return true;
}

bool SureWays::is_sure_block(const llvm::BasicBlock& block) {
  const auto known = sure_blocks_.find(&block);
  if (known != sure_blocks_.end()) return known->second;
  const bool is_sure_all = llvm::all_of(
      block, [&](const llvm::Instruction& instruction) { return sure_.contains(instruction); });
  return sure_blocks_[&block] = is_sure_all;
}

}  // namespace foretrace::instrument
