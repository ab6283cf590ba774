// What calls of libc's functions access.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

namespace foretrace::instrument {

struct LibraryAccess {
  enum class Kind {
    none,
    read,            // of so many bytes at the pointer
    write,           //
    read_string,     // up to its end, so many bytes at most
    read_number,     // as far as the text is surely a number to base `count`, and one more
    compare_string,  // up to where it differs from the string `other`
    copy_string,     // a write of as much as the string `other` has; a limit is filled up
    append_string,   // the same behind the end of the string at the pointer
  };
  // How many bytes: by `count`, `factor`, and the result of the call.
  enum class Amount {
    count,
    product,      // count * factor
    sorted,       // the same, but a single one of `count` items stays untouched
    if_given,     // `count` unless the pointer is null
    if_zero,      // `count` if the result is 0
    if_more,      // `count` if the result is more than `factor`
    if_same,      // `count` if the result is the pointer
    result,       // the result * factor, if there is one
    printed,      // the result and one more, but `count` at most, * factor
    through,      // what the result points to is the last of argument 0; none: `count`
    in_front_of,  // the same without what it points to
  };
  Kind kind;
  llvm::Value* pointer;
  Amount amount;
  llvm::Value* count;
  llvm::Value* factor = nullptr;
  llvm::Value* other = nullptr;

  // Whether it is known only when the call has returned.
  bool is_behind(const llvm::CallBase& call) const {
    return amount >= Amount::if_zero || pointer == &call;
  }
  bool is_write() const { return kind == Kind::write || kind >= Kind::copy_string; }
};

using LibraryAccesses = llvm::SmallVector<LibraryAccess, 4>;

// The accesses in the order in which they are made; none for other functions.
LibraryAccesses library_accesses(llvm::CallBase& call);

// Whether what a call accesses is recorded, here or by hooks of the function that is called.
bool may_be_recorded(llvm::CallBase& call);

// Computes how many bytes it is.
llvm::Value* bytes_of(const LibraryAccess& access, llvm::CallBase& call,
                      llvm::IRBuilder<>& builder);

}  // namespace foretrace::instrument
