// What an access is about, in the words of the program: "Account::balance",
// "counter", "table[…]".
#pragma once

#include <string>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

namespace foretrace::instrument {

struct Description {
  std::string what;      // empty: not known
  uint64_t element = 0;  // the size of the array's element that is accessed, or 0
};

// "Bank::Account" for a type, function or variable with its scopes.
std::string qualified_name(const llvm::DIScope* scope, llvm::StringRef name);

// Reads names from the debug information of a module.
class Describer {
 public:
  explicit Describer(const llvm::Module& module);

  Description describe(const llvm::Value* pointer) const { return describe(pointer, 0); }
  // The same for an access that has type information for aliasing (TBAA), which
  // survives where the optimiser has turned structures into byte offsets.
  Description describe_access(const llvm::Instruction& access, const llvm::Value* pointer) const;
  // The same with the name that PreparePass has noted before optimisation, if it has one; none
  // that would tell a user nothing.
  Description describe_noted(const llvm::Instruction& access, const llvm::Value* pointer) const;

 private:
  Description describe(const llvm::Value* pointer, unsigned depth) const;
  Description describe_global(const llvm::GlobalVariable& global, uint64_t offset,
                              uint64_t bytes = 1) const;
  Description describe_element(const llvm::User& address, unsigned depth) const;
  Description describe_pointee(const llvm::Value* pointer, unsigned depth) const;
  Description describe_by_tbaa(const llvm::Instruction& access) const;
  // "::balance", or ".x.y" for structures in structures, as far as all of the bytes
  // belong to it; "" if there is none.
  static std::string member_path(const llvm::DIType* type, uint64_t offset, uint64_t* element,
                                 uint64_t bytes = 1);
  void note_typedef(const llvm::DIType* type);
  // With its scopes, as the source uses it.
  std::string name_of(const llvm::DIType* type) const;
  const llvm::DICompositeType* type_named(llvm::StringRef name) const;
  // The type of a structure that a pointer points to: by its name, or if it has none, by
  // the variable that holds the pointer. Null if it is not known.
  const llvm::DIType* type_of(const llvm::StructType& structure, const llvm::Value* pointer) const;

  const llvm::Module& module_;
  llvm::StringMap<const llvm::DICompositeType*> types_;  // by name and by identifier
  llvm::DenseMap<const llvm::DIType*, const llvm::DIDerivedType*> typedefs_;  // of structures
  llvm::DenseMap<const llvm::Value*, const llvm::DILocalVariable*> locals_;
};

}  // namespace foretrace::instrument
