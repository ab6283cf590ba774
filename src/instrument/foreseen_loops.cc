#include "instrument/foreseen_loops.h"

#include <llvm/ADT/SmallVector.h>

#include "instrument/names.h"

namespace foretrace::instrument {
namespace {

using Pointers = llvm::SmallPtrSet<const llvm::Value*, 8>;
using Instructions = llvm::SmallPtrSet<const llvm::Instruction*, 32>;

// What is known of one loop. Each of its instructions is looked at a few times.
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
    find_dependent();
  }

  // Whether the loop only computes, reads and writes, and goes its way by what it does
  // not read.
  bool is_foreseen() const {
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

  // Whether a value does not depend on what is read in the loop, but for constant places.
  bool is_foreseen(const llvm::Value* value) const {
    const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return instruction == nullptr || !dependent_.contains(instruction);
  }

  // The places that steer: reads of them that the loop's way depends on, or one of the
  // foreseen pointers.
  Pointers steering(llvm::ArrayRef<const llvm::Value*> foreseen_pointers) const {
    Pointers places;
    Instructions seen;
    llvm::SmallVector<const llvm::Value*, 32> left(foreseen_pointers);
    for (const llvm::BasicBlock* block : loop_.blocks()) left.push_back(block->getTerminator());
    while (!left.empty()) {
      const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(left.pop_back_val());
      if (instruction == nullptr || !loop_.contains(instruction) ||
          !seen.insert(instruction).second) {
        continue;
      }
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
        places.insert(load->getPointerOperand());
      }
      left.append(instruction->op_begin(), instruction->op_end());
    }
    return places;
  }

 private:
  // What depends on reads of other than constant places.
  void find_dependent() {
    llvm::SmallVector<const llvm::Instruction*, 32> left;
    const auto add = [&](const llvm::Instruction& instruction) {
      if (loop_.contains(&instruction) && dependent_.insert(&instruction).second) {
        left.push_back(&instruction);
      }
    };
    for (const llvm::BasicBlock* block : loop_.blocks()) {
      for (const llvm::Instruction& instruction : *block) {
        const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load != nullptr && !is_at_constant_place(*load)) add(instruction);
      }
    }
    while (!left.empty()) {
      for (const llvm::User* user : left.pop_back_val()->users()) {
        if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) add(*instruction);
      }
    }
  }

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
    if (const auto known = constant_.find(instruction); known != constant_.end()) {
      return known->second;
    }
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(instruction);
    const bool constant = load != nullptr
                              ? is_at_constant_place(*load)
                              : llvm::all_of(instruction->operands(), [this](const auto& operand) {
                                  return is_constant(operand);
                                });
    return constant_[instruction] = constant;
  }

  const llvm::Loop& loop_;
  ForeseenLoops::IsRecorded is_recorded_;
  Pointers written_;
  Instructions dependent_;
  llvm::DenseMap<const llvm::Instruction*, bool> constant_;
};

}  // namespace

ForeseenLoops::ForeseenLoops(llvm::Function& function, llvm::FunctionAnalysisManager& manager,
                             IsRecorded is_recorded)
    : loops_(manager.getResult<llvm::LoopAnalysis>(function)) {
  for (const llvm::Loop* loop : loops_) find(*loop, is_recorded);
}

void ForeseenLoops::find(const llvm::Loop& loop, IsRecorded is_recorded) {
  const Course course(loop, is_recorded);
  if (!course.is_foreseen()) {
    for (const llvm::Loop* inner : loop) find(*inner, is_recorded);
    return;
  }
  outermost_.insert(&loop);
  llvm::SmallVector<const llvm::LoadInst*, 16> loads;
  llvm::SmallVector<const llvm::Value*, 16> pointers;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
      const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer == nullptr || !course.is_foreseen(pointer)) continue;
      foreseen_.insert(&instruction);
      pointers.push_back(pointer);
    }
  }
  const Pointers steering = course.steering(pointers);
  for (const llvm::LoadInst* load : loads) {
    if (steering.contains(load->getPointerOperand())) steering_.insert(load);
  }
}

const llvm::Loop* ForeseenLoops::loop_of(const llvm::Instruction& instruction) const {
  const llvm::Loop* loop = loops_.getLoopFor(instruction.getParent());
  while (loop != nullptr && !outermost_.contains(loop)) loop = loop->getParentLoop();
  return loop;
}

}  // namespace foretrace::instrument
