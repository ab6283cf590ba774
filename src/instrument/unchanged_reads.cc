#include "instrument/unchanged_reads.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "instrument/as_number.h"

namespace foretrace::instrument {

void UnchangedReads::add(llvm::CallInst& hook, llvm::LoadInst& load, const llvm::Loop& loop) {
  if (!has_number(load)) return;
  llvm::IRBuilder<> behind(&hook);
  llvm::Value* const number = as_number(behind, load);
  llvm::BasicBlock& first = hook.getFunction()->getEntryBlock();
  llvm::IRBuilder<> entry(&first, first.begin());
  llvm::AllocaInst* const known = entry.CreateAlloca(entry.getInt1Ty());
  llvm::AllocaInst* const pointer = entry.CreateAlloca(load.getPointerOperandType());
  llvm::AllocaInst* const value = entry.CreateAlloca(number->getType());
  llvm::IRBuilder<> before(loop.getLoopPreheader()->getTerminator());
  before.CreateStore(before.getFalse(), known);
  reads_.push_back({&hook, &load, number, known, pointer, value});
}

void UnchangedReads::skip_hooks() {
  for (const Read& read : reads_) skip(read);
}

void UnchangedReads::skip(const Read& read) {
  llvm::IRBuilder<> builder(read.hook);
  llvm::Value* const pointer = read.load->getPointerOperand();
  const auto is_same = [&](llvm::Value* now, llvm::AllocaInst* last) {
    return builder.CreateICmpEQ(now, builder.CreateLoad(now->getType(), last));
  };
  llvm::Value* const same = builder.CreateLogicalAnd(
      builder.CreateLoad(builder.getInt1Ty(), read.known),
      builder.CreateAnd(is_same(read.number, read.value), is_same(pointer, read.pointer)));
  llvm::Instruction* const end = llvm::SplitBlockAndInsertIfThen(
      builder.CreateNot(same), read.hook, false,
      llvm::MDBuilder(read.hook->getContext()).createUnlikelyBranchWeights());
  read.hook->moveBefore(end->getIterator());
  builder.SetInsertPoint(end);
  builder.CreateStore(builder.getTrue(), read.known);
  builder.CreateStore(pointer, read.pointer);
  builder.CreateStore(read.number, read.value);
}

void UnchangedReads::keep_in_registers() {
  if (reads_.empty()) return;
  std::vector<llvm::AllocaInst*> memory;
  for (const Read& read : reads_) {
    memory.insert(memory.end(), {read.known, read.pointer, read.value});
  }
  llvm::DominatorTree dominators(*reads_.front().hook->getFunction());
  llvm::PromoteMemToReg(memory, dominators);
  reads_.clear();
}

}  // namespace foretrace::instrument
