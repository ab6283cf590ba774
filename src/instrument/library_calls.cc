#include "instrument/library_calls.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>

namespace foretrace::instrument {
namespace {

using Kind = LibraryAccess::Kind;
using Accesses = llvm::SmallVector<LibraryAccess, 2>;

// One letter for each argument that matters: r and w are ranges whose size is
// the last argument; s is a string that is read; n one of which the last
// argument limits the length; c the target of a copy of argument 1, and C the
// same with a limit.
struct LibraryFunction {
  llvm::StringLiteral name;
  llvm::StringLiteral arguments;
};
constexpr LibraryFunction kFunctions[] = {
    {"memcpy", "wr"}, {"memmove", "wr"}, {"memset", "w"},   {"memcmp", "rr"}, {"bcmp", "rr"},
    {"bcopy", "rw"},  {"bzero", "w"},    {"mempcpy", "wr"}, {"strlen", "s"},  {"strnlen", "n"},
    {"strcpy", "cs"}, {"stpcpy", "cs"},  {"strncpy", "Cn"}, {"strdup", "s"},  {"strndup", "n"},
    {"puts", "s"},    {"fputs", "s"},    {"atoi", "s"},     {"atol", "s"},    {"atof", "s"},
    {"strtol", "s"},  {"strtoul", "s"},  {"strtod", "s"},   {"strchr", "s"},  {"strrchr", "s"},
    {"strstr", "ss"},
};

const LibraryFunction* known_function(const llvm::CallBase& call) {
  const llvm::Function* const callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return nullptr;
  for (const LibraryFunction& function : kFunctions) {
    if (callee->getName() == function.name && call.arg_size() >= function.arguments.size()) {
      return &function;
    }
  }
  return nullptr;
}

Accesses accesses_of(const LibraryFunction& function, llvm::CallBase& call) {
  llvm::Value* const last = call.getArgOperand(call.arg_size() - 1);
  Accesses accesses;
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    llvm::Value* const argument = call.getArgOperand(static_cast<unsigned>(i));
    switch (function.arguments[i]) {
      case 'r':
        accesses.push_back({Kind::read, argument, last});
        break;
      case 'w':
        accesses.push_back({Kind::write, argument, last});
        break;
      case 's':
        accesses.push_back({Kind::read_string, argument});
        break;
      case 'n':
        accesses.push_back({Kind::read_string, argument, last});
        break;
      default:
        accesses.push_back({Kind::copy_string, argument,
                            function.arguments[i] == 'C' ? last : nullptr, call.getArgOperand(1)});
    }
  }
  // What is copied is read before it is written.
  std::stable_sort(
      accesses.begin(), accesses.end(), [](const LibraryAccess& a, const LibraryAccess& b) {
        const auto writes = [](Kind k) { return k == Kind::write || k == Kind::copy_string; };
        return !writes(a.kind) && writes(b.kind);
      });
  return accesses;
}

}  // namespace

Accesses library_accesses(llvm::CallBase& call) {
  if (auto* copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call)) {
    return {{Kind::read, copy->getRawSource(), copy->getLength()},
            {Kind::write, copy->getRawDest(), copy->getLength()}};
  }
  if (auto* fill = llvm::dyn_cast<llvm::AnyMemSetInst>(&call)) {
    return {{Kind::write, fill->getRawDest(), fill->getLength()}};
  }
  const LibraryFunction* const function = known_function(call);
  return function != nullptr ? accesses_of(*function, call) : Accesses();
}

}  // namespace foretrace::instrument
