#include "instrument/foreseen_loops.h"

#include <llvm/IR/IntrinsicInst.h>

#include "instrument/names.h"

namespace foretrace::instrument {
namespace {

using Pointers = llvm::SmallPtrSet<const llvm::Value*, 8>;

// What is known of one loop.
class Course {
 public:
  Course(const llvm::Loop& loop, ForeseenLoops::IsRecorded is_recorded)
      : loop_(loop), is_recorded_(is_recorded) {
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          written_.insert(store->getPointerOperand());
        }
      }
    }
  }

  // Whether the loop only computes, reads and writes, and goes its way by what it does
  // not read.
  bool is_foreseen() {
    if (loop_.getLoopPreheader() == nullptr) return false;
    for (const llvm::BasicBlock* block : loop_.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        if (!is_quiet(instruction)) return false;
        const bool is_access =
            llvm::isa<llvm::LoadInst>(instruction) || llvm::isa<llvm::StoreInst>(instruction);
        if (instruction.mayReadOrWriteMemory() && !is_access) return false;
      }
      const llvm::Instruction* const end = block->getTerminator();
      if (!llvm::isa<llvm::BranchInst>(end) && !llvm::isa<llvm::SwitchInst>(end)) return false;
      if (!is_foreseen(end)) return false;
    }
    return true;
  }

  // Whether a value does not depend on what is read in the loop, but for reads that steer;
  // those are remembered.
  bool is_foreseen(const llvm::Value* value) {
    llvm::SmallPtrSet<const llvm::Instruction*, 16> seen;
    llvm::SmallVector<const llvm::Instruction*, 16> left;
    Pointers steering;
    const auto add = [&](const llvm::Value* used) {
      const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(used);
      if (instruction != nullptr && loop_.contains(instruction) &&
          seen.insert(instruction).second) {
        left.push_back(instruction);
      }
    };
    add(value);
    while (!left.empty()) {
      const llvm::Instruction* const instruction = left.pop_back_val();
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
        if (!is_at_constant_place(*load)) return false;
        steering.insert(load->getPointerOperand());
      }
      for (const llvm::Value* operand : instruction->operands()) add(operand);
    }
    steering_.insert(steering.begin(), steering.end());
    return true;
  }

  bool steers(const llvm::LoadInst& load) const {
    return steering_.contains(load.getPointerOperand());
  }

 private:
  bool is_at_constant_place(const llvm::LoadInst& load) {
    const llvm::Value* const pointer = load.getPointerOperand();
    return !load.isVolatile() && !written_.contains(pointer) && is_recorded_(pointer) &&
           is_constant(pointer);
  }

  // Whether a value is the same in every round.
  bool is_constant(const llvm::Value* value) {
    const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction == nullptr || !loop_.contains(instruction)) return true;
    if (llvm::isa<llvm::PHINode>(instruction)) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
      return is_at_constant_place(*load);
    }
    return llvm::all_of(instruction->operands(),
                        [this](const llvm::Value* operand) { return is_constant(operand); });
  }

  const llvm::Loop& loop_;
  ForeseenLoops::IsRecorded is_recorded_;
  Pointers written_;
  Pointers steering_;
};

}  // namespace

ForeseenLoops::ForeseenLoops(llvm::Function& function, llvm::FunctionAnalysisManager& manager,
                             IsRecorded is_recorded)
    : loops_(manager.getResult<llvm::LoopAnalysis>(function)) {
  for (const llvm::Loop* loop : loops_) find(*loop, is_recorded);
}

void ForeseenLoops::find(const llvm::Loop& loop, IsRecorded is_recorded) {
  Course course(loop, is_recorded);
  if (!course.is_foreseen()) {
    for (const llvm::Loop* inner : loop) find(*inner, is_recorded);
    return;
  }
  outermost_.insert(&loop);
  llvm::SmallVector<const llvm::LoadInst*, 16> loads;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer != nullptr && course.is_foreseen(pointer)) foreseen_.insert(&instruction);
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
    }
  }
  for (const llvm::LoadInst* load : loads) {
    if (course.steers(*load)) steering_.insert(load);
  }
}

const llvm::Loop* ForeseenLoops::loop_of(const llvm::Instruction& instruction) const {
  const llvm::Loop* loop = loops_.getLoopFor(instruction.getParent());
  while (loop != nullptr && !outermost_.contains(loop)) loop = loop->getParentLoop();
  return loop;
}

}  // namespace foretrace::instrument
