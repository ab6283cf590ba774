// What calls of libc's functions for memory and strings access.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

namespace foretrace::instrument {

struct LibraryAccess {
  enum class Kind {
    read,         // of `bytes` at the pointer
    write,        //
    read_string,  // up to its end, `bytes` at most
    copy_string,  // a write of as much as the string `source` has, `bytes` at most
  };
  Kind kind;
  llvm::Value* pointer;
  llvm::Value* bytes = nullptr;  // null: no limit
  llvm::Value* source = nullptr;
};

// The accesses in the order in which they are made; none for other functions.
llvm::SmallVector<LibraryAccess, 2> library_accesses(llvm::CallBase& call);

}  // namespace foretrace::instrument
