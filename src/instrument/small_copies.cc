#include "instrument/small_copies.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace foretrace::instrument {
namespace {

bool is_small(const llvm::MemCpyInst& copy) {
  constexpr uint64_t kBytes = 16;
  const auto* const length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  return length != nullptr && length->getZExtValue() == kBytes && !copy.isVolatile() &&
         copy.getSourceAddressSpace() == 0 && copy.getDestAddressSpace() == 0;
}

}  // namespace

void make_small_copies_accesses(llvm::Function& function) {
  llvm::Type* const bytes =
      llvm::FixedVectorType::get(llvm::Type::getInt64Ty(function.getContext()), 2);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* const copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction);
    if (copy == nullptr || !is_small(*copy)) continue;
    llvm::IRBuilder<> builder(copy);
    llvm::Value* const read =
        builder.CreateAlignedLoad(bytes, copy->getRawSource(), copy->getSourceAlign().valueOrOne());
    builder.CreateAlignedStore(read, copy->getRawDest(), copy->getDestAlign().valueOrOne());
    copy->eraseFromParent();
  }
}

}  // namespace foretrace::instrument
