#include "instrument/loop_ranges.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "instrument/names.h"

namespace foretrace::instrument {

namespace {

// An expression in which the program's own results stand for unsigned divisions: a
// division must not be made where the program might not make it, and a thread's part
// of an array often begins at size * me / threads.
class WithDivisionsDone : public llvm::SCEVRewriteVisitor<WithDivisionsDone> {
 public:
  WithDivisionsDone(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
                    llvm::ArrayRef<llvm::Instruction*> divisions, const llvm::Instruction& place)
      : SCEVRewriteVisitor(evolution),
        dominators_(dominators),
        divisions_(divisions),
        place_(place) {}

  const llvm::SCEV* visitUDivExpr(const llvm::SCEVUDivExpr* expression) {
    for (llvm::Instruction* const division : divisions_) {
      if (SE.getSCEV(division) == expression && dominators_.dominates(division, &place_)) {
        return SE.getUnknown(division);
      }
    }
    return expression;
  }

 private:
  const llvm::DominatorTree& dominators_;
  llvm::ArrayRef<llvm::Instruction*> divisions_;
  const llvm::Instruction& place_;
};

// Few accesses are better looked at one by one, and what is larger has no hook of its own.
bool is_worth_strided_range(const llvm::SCEV& rounds_less_one, uint64_t bytes) {
  constexpr uint64_t kFewestRounds = 8;
  constexpr uint64_t kMostBytes = 16;
  const auto* const known = llvm::dyn_cast<llvm::SCEVConstant>(&rounds_less_one);
  return bytes <= kMostBytes && (known == nullptr || known->getAPInt().uge(kFewestRounds - 1));
}

}  // namespace

LoopRanges::LoopRanges(llvm::Function& function, llvm::FunctionAnalysisManager& manager)
    : evolution_(manager.getResult<llvm::ScalarEvolutionAnalysis>(function)),
      loops_(manager.getResult<llvm::LoopAnalysis>(function)),
      dominators_(manager.getResult<llvm::DominatorTreeAnalysis>(function)) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (instruction.getOpcode() == llvm::Instruction::UDiv) divisions_.push_back(&instruction);
  }
}

bool LoopRanges::is_simple(const llvm::Loop& loop) {
  const auto [known, is_new] = simple_.try_emplace(&loop, false);
  if (!is_new) return known->second;
  if (!loop.isLoopSimplifyForm() || !loop.isInnermost()) return false;
  if (loop.getExitingBlock() == nullptr || loop.getExitingBlock() != loop.getLoopLatch() ||
      loop.getExitBlock() == nullptr) {
    return false;
  }
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (!is_quiet(instruction)) return false;
    }
  }
  simple_[&loop] = true;
  return true;
}

std::optional<LoopRange> LoopRanges::range_of(const llvm::Instruction& access, llvm::Value* pointer,
                                              uint64_t bytes) {
  const llvm::Loop* const loop = loop_of(access);
  if (loop == nullptr || access.isVolatile() || !is_simple(*loop) ||
      !dominators_.dominates(access.getParent(), loop->getLoopLatch())) {
    return std::nullopt;
  }
  const llvm::SCEV* const rounds_less_one = evolution_.getBackedgeTakenCount(loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds_less_one)) return std::nullopt;
  llvm::Type* const word = llvm::Type::getInt64Ty(access.getContext());
  const auto* const address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(pointer));
  if (address == nullptr || address->getLoop() != loop || !address->isAffine()) {
    return std::nullopt;
  }
  const llvm::SCEV* const step = address->getStepRecurrence(evolution_);
  if (evolution_.getTypeSizeInBits(rounds_less_one->getType()) > 64) return std::nullopt;
  const llvm::SCEV* const others = evolution_.getTruncateOrZeroExtend(rounds_less_one, word);
  LoopRange range = {loop, address->getStart(), nullptr, nullptr, nullptr};
  const auto* const constant = llvm::dyn_cast<llvm::SCEVConstant>(step);
  if (constant != nullptr && constant->getAPInt().abs() == bytes) {
    const llvm::SCEV* const last =
        evolution_.getMulExpr(others, evolution_.getConstant(word, bytes));
    range.bytes = evolution_.getAddExpr(last, evolution_.getConstant(word, bytes));
    if (constant->getAPInt().isNegative()) {
      range.first = evolution_.getAddExpr(range.first, evolution_.getNegativeSCEV(last));
    }
  } else {
    if (!is_worth_strided_range(*rounds_less_one, bytes)) return std::nullopt;
    range.step = step;
    range.rounds = evolution_.getAddExpr(others, evolution_.getOne(word));
  }
  const llvm::SCEVExpander expander(evolution_, "foretrace");
  const llvm::Instruction* const place = loop->getLoopPreheader()->getTerminator();
  WithDivisionsDone done(evolution_, dominators_, divisions_, *place);
  for (const llvm::SCEV** part : {&range.first, &range.bytes, &range.step, &range.rounds}) {
    if (*part == nullptr) continue;
    *part = done.visit(*part);
    if (!expander.isSafeToExpandAt(*part, place)) return std::nullopt;
  }
  return range;
}

std::optional<int64_t> LoopRanges::distance(const llvm::SCEV& from, const llvm::SCEV& to) {
  const auto* const known = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(&to, &from));
  if (known == nullptr) return std::nullopt;
  return known->getAPInt().trySExtValue();
}

LoopRanges::Place LoopRanges::compute(const LoopRange& range) {
  llvm::SCEVExpander expander(evolution_, "foretrace");
  llvm::Instruction* const place = range.loop->getLoopPreheader()->getTerminator();
  llvm::LLVMContext& context = place->getContext();
  const auto number = [&](const llvm::SCEV* value) -> llvm::Value* {
    if (value == nullptr) return nullptr;
    return expander.expandCodeFor(value, llvm::Type::getInt64Ty(context), place);
  };
  return {expander.expandCodeFor(range.first, llvm::PointerType::getUnqual(context), place),
          number(range.bytes), number(range.step), number(range.rounds)};
}

}  // namespace foretrace::instrument
