// Reads that the caller has just made and recorded: a function that goes down a tree with the same
// `const Body& body` reads it in every call, and nothing between two of them synchronises. Who
// races with the later reads races with the first.
//
// Such a function cannot know what its caller has read. So it is copied for such calls
// (private_memory.h), and in the copy what is reached through the parameter is *covered*.
#pragma once

#include <bitset>
#include <optional>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "instrument/references.h"

namespace foretrace::instrument {

// Some bytes of an object, by how far they are from a pointer to it.
using ObjectBytes = std::bitset<256>;

// What functions of a module read through their parameters, and which of them synchronise.
class CoveredReads {
 public:
  using Which = llvm::function_ref<bool(const llvm::Function&)>;

  // `has_hooks`: what the function accesses is recorded. `can_be_copied`: what its callers have
  // read may be covered in it.
  CoveredReads(const llvm::Module& module, Which has_hooks, Which can_be_copied);

  // Whether nothing synchronises while the function runs, and it records what it reads.
  bool may_cover(const llvm::Function& caller) const { return covering_.contains(&caller); }

  // What is read through a parameter, also by functions that it is handed on to; null if that is
  // not known, or is not all that is done with it, or if something synchronises meanwhile.
  const ObjectBytes* bytes_read(const llvm::Argument& parameter) const;

 private:
  void find_reads(const llvm::Module& module, Which can_be_copied);

  llvm::DenseSet<const llvm::Function*> covering_;
  llvm::DenseMap<const llvm::Argument*, ObjectBytes> read_;
};

// What one function, or a copy of it, has surely read and recorded where it calls another.
class ReadsBefore {
 public:
  explicit ReadsBefore(llvm::Function& caller) : caller_(caller) {}

  // Whether all these bytes, counted from `pointer`, have been.
  bool contain(const ObjectBytes& bytes, const llvm::Value& pointer, const llvm::CallBase& call);

 private:
  void add_reads(const llvm::Value& pointer, int64_t offset, const llvm::CallBase& call,
                 ObjectBytes& found) const;

  llvm::Function& caller_;
  // Where there was a question.
  std::optional<llvm::DominatorTree> dominators_;
  std::optional<References> references_;
};

}  // namespace foretrace::instrument
