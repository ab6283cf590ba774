#include "instrument/as_number.h"

#include <llvm/IR/DataLayout.h>

namespace foretrace::instrument {
namespace {

llvm::Type* number_type(const llvm::LoadInst& load) {
  const llvm::TypeSize bits = load.getDataLayout().getTypeSizeInBits(load.getType());
  if (bits.isScalable()) return nullptr;
  return llvm::Type::getIntNTy(load.getContext(), static_cast<unsigned>(bits.getFixedValue()));
}

}  // namespace

bool has_number(const llvm::LoadInst& load) {
  if (load.getType()->isIntOrPtrTy()) return true;
  llvm::Type* const number = number_type(load);
  return number != nullptr && llvm::CastInst::isBitCastable(load.getType(), number);
}

llvm::Value* as_number(llvm::IRBuilder<>& builder, llvm::LoadInst& load) {
  if (load.getType()->isIntOrPtrTy()) return &load;
  return builder.CreateBitCast(&load, number_type(load));
}

}  // namespace foretrace::instrument
