// Loops over arrays: the accesses of all rounds as one range.
#pragma once

#include <optional>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>

namespace foretrace::instrument {

// The bytes that an access touches in all rounds of its loop together.
struct LoopRange {
  const llvm::Loop* loop;
  // Side by side: the address of the first byte, and how many there are.
  const llvm::SCEV* first;
  const llvm::SCEV* bytes;
  // Else: the address in the first round, how far from it that in the next is, and how many
  // rounds there are. Null if they are side by side.
  const llvm::SCEV* step;
  const llvm::SCEV* rounds;
};

// Finds them. Only what certainly happens counts: the loop has one way out, at
// the end of a round, the number of rounds is known before the first, nothing in
// it synchronises, throws or ends the program, and the access is made in every
// round, each time as far from the last one.
class LoopRanges {
 public:
  LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& manager);

  std::optional<LoopRange> range_of(const llvm::Instruction& access, llvm::Value* pointer,
                                    uint64_t bytes);

  // The innermost loop that it is in; null if there is none.
  const llvm::Loop* loop_of(const llvm::Instruction& instruction) const {
    return loops_.getLoopFor(instruction.getParent());
  }

  // How far it is from one address to another, if that is known.
  std::optional<int64_t> distance(const llvm::SCEV& from, const llvm::SCEV& to);
  // What an address starts from.
  const llvm::SCEV* base_of(const llvm::SCEV& address) {
    return evolution_.getPointerBase(&address);
  }

  // Computes the range in front of the loop.
  struct Place {
    llvm::Value* first;
    llvm::Value* bytes;  // null if they are not side by side,
    llvm::Value* step;   // and these two if they are
    llvm::Value* rounds;
  };
  Place compute(const LoopRange& range);

 private:
  bool is_simple(const llvm::Loop& loop);

  llvm::ScalarEvolution& evolution_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::SmallVector<llvm::Instruction*, 8> divisions_;  // unsigned ones of the function
  llvm::DenseMap<const llvm::Loop*, bool> simple_;
};

}  // namespace foretrace::instrument
