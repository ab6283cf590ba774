// Locals that only the thread that runs the function can reach, because nobody else gets a
// pointer to them: their accesses are not recorded.
//
// A function may hand a pointer to such a local on to another one that does not keep it either
// (`double sum; tree.add_to(sum);`). That one cannot know whose memory it is given. So it is
// copied for such calls, and in the copy the parameter points to private memory. In the same way
// it is copied for callers that have just read what it will read (covered_reads.h).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include "instrument/covered_reads.h"

namespace foretrace::instrument {

// Behind the name of the function in the names of its copies.
inline constexpr const char* kCopySuffix = ".private";

class PrivateMemory {
 public:
  using MayCopy = llvm::function_ref<bool(const llvm::Function&)>;

  // Of functions that it may not copy, parameters are of unknown memory.
  PrivateMemory(llvm::Module& module, MayCopy may_copy);

  // Whether other threads may reach what a pointer points to, and may write it.
  bool may_be_shared(const llvm::Value* pointer) const;

  // Whether reads by a pointer tell nothing that the caller's do not, while the program is only
  // recorded. Writes by it there are none.
  bool is_covered(const llvm::Value* pointer) const;

 private:
  // Parameters of a function that it need not record: in a copy for them, or where it is called.
  struct Parameters {
    llvm::SmallBitVector to_private;
    llvm::SmallBitVector covered;

    bool any() const { return to_private.any() || covered.any(); }
    bool operator==(const Parameters& other) const {
      return to_private == other.to_private && covered == other.covered;
    }
    // Whether there are none that the others have not.
    bool are_among(const Parameters& others) const {
      return !to_private.test(others.to_private) && !covered.test(others.covered);
    }
  };
  struct Copy {
    Parameters parameters;
    llvm::Function* function;
  };

  // Whether it has all of this: a local, or what the parameter of a copy points to.
  bool contains(const llvm::Value* object) const { return private_.contains(object); }
  void find_private(llvm::Module& module);
  void look_at(const llvm::Value& memory);
  void find_accessed();
  void redirect_calls(llvm::Function& caller, const CoveredReads& reads);
  // What a call calls, if that can be copied; null for others. Of a copy it is the original.
  llvm::Function* copyable_callee(const llvm::CallBase& call) const;
  llvm::SmallBitVector private_parameters(const llvm::CallBase& call,
                                          const llvm::Function& callee) const;
  llvm::SmallBitVector covered_parameters(const llvm::CallBase& call, const llvm::Function& callee,
                                          const CoveredReads& reads, ReadsBefore& before) const;
  // What to call instead, for these parameters or for some of them.
  llvm::Function* copy_of(llvm::Function& function, Parameters parameters,
                          const CoveredReads& reads);
  llvm::Function* new_copy(llvm::Function& function, const Parameters& parameters,
                           const CoveredReads& reads);

  llvm::DenseSet<const llvm::Function*> copyable_;
  // Which memory is handed on as a parameter, and so is kept if that is.
  llvm::DenseMap<const llvm::Argument*, llvm::SmallVector<const llvm::Value*, 4>> handed_on_as_;
  llvm::DenseSet<const llvm::Argument*> accessed_;  // also by functions that it is handed on to
  llvm::DenseSet<const llvm::Value*> not_kept_;     // locals and parameters
  llvm::DenseSet<const llvm::Value*> private_;
  llvm::DenseSet<const llvm::Value*> covered_;  // parameters of copies
  llvm::DenseMap<const llvm::Function*, llvm::SmallVector<Copy, 1>> copies_;
  llvm::DenseMap<const llvm::Function*, llvm::Function*> originals_;  // of the copies
};

}  // namespace foretrace::instrument
