#include "instrument/access.h"

#include <llvm/IR/DataLayout.h>

namespace foretrace::instrument {

AccessPlace place_of(const Access& access) {
  const llvm::DataLayout& layout = access.instruction->getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(access.pointer->getType()), 0);
  const llvm::Value* const base =
      access.pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  return {base, offset.getSExtValue() + access.offset};
}

}  // namespace foretrace::instrument
