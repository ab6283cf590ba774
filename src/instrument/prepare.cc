#include <cstdint>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include "instrument/describe.h"
#include "instrument/instrument.h"
#include "instrument/names.h"
#include "instrument/quiet_functions.h"

namespace foretrace::instrument {
namespace {

// Without optimisation nothing is inlined, and the place where std::lock_guard
// takes a lock would be in the standard library for all of them. So its small
// functions are inlined here too; what is theirs then has the caller's place. Only small
// ones: without optimisation the locals of all of them have places of their own on the stack.
class LibraryFunctions {
 public:
  bool is_small(const llvm::Function& function) {
    constexpr size_t kMostInstructions = 150;
    return is_of_library(function) && size_of(function) <= kMostInstructions;
  }

 private:
  static bool is_of_library(const llvm::Function& function) {
    const llvm::DISubprogram* const place = function.getSubprogram();
    return place != nullptr && !function.isDeclaration() &&
           function.hasFnAttribute(llvm::Attribute::OptimizeNone) &&
           function.hasLinkOnceODRLinkage() && is_system_file(place->getFilename());
  }

  // With all that will be inlined into it. A call back to one of its callers counts as a call:
  // LLVM inlines no function into itself.
  size_t size_of(const llvm::Function& function) {
    constexpr size_t kEndless = UINT32_MAX;
    const auto [known, is_new] = sizes_.try_emplace(&function, kEndless);
    if (!is_new) return known->second;
    size_t size = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      ++size;
      const llvm::Function* const callee = callee_of(instruction);
      if (callee != nullptr && is_small(*callee)) size += size_of(*callee);
    }
    return sizes_[&function] = size;
  }

  llvm::DenseMap<const llvm::Function*, size_t> sizes_;
};

void inline_always(llvm::Function& function) {
  function.removeFnAttr(llvm::Attribute::OptimizeNone);
  function.removeFnAttr(llvm::Attribute::NoInline);
  function.addFnAttr(llvm::Attribute::AlwaysInline);
}

void note_name(llvm::Instruction& instruction, const Description& description) {
  if (!is_telling(description.what)) return;
  llvm::LLVMContext& context = instruction.getContext();
  llvm::Metadata* const parts[] = {llvm::MDString::get(context, description.what),
                                   llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                       llvm::Type::getInt64Ty(context), description.element))};
  instruction.setMetadata(kNameMetadata, llvm::MDNode::get(context, parts));
}

// A reference is bound once and for all, so that its reads tell nothing; what it is bound to is
// another matter. At this point only Clang has said of pointers that they are not null, and
// that of references.
void leave_out_reference(llvm::Instruction& instruction) {
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load == nullptr || load->isVolatile() || load->isAtomic() ||
      !load->hasMetadata(llvm::LLVMContext::MD_nonnull)) {
    return;
  }
  instruction.setNoSanitizeMetadata();
}

void note_kept_pointers(llvm::Function& function) {
  if (!keeps_no_pointer(function)) return;
  for (llvm::Argument& argument : function.args()) {
    if (!argument.getType()->isPointerTy()) continue;
    argument.addAttr(
        llvm::Attribute::getWithCaptureInfo(function.getContext(), llvm::CaptureInfo::none()));
  }
}

const llvm::Value* pointer_of(const llvm::Instruction& instruction) {
  if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) return pointer;
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return update->getPointerOperand();
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return exchange->getPointerOperand();
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call != nullptr && is_synchronisation(*call) && call->arg_size() > 0 &&
      call->getArgOperand(0)->getType()->isPointerTy()) {
    return call->getArgOperand(0);
  }
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses PreparePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const Describer describer(module);
  LibraryFunctions library;
  std::vector<llvm::Function*> small;
  for (llvm::Function& function : module) {
    if (library.is_small(function)) small.push_back(&function);
  }
  for (llvm::Function* const function : small) {
    if (!is_left_alone(*function)) inline_always(*function);
  }
  for (llvm::Function& function : module) {
    note_kept_pointers(function);
    if (function.isDeclaration() || is_left_alone(function)) continue;
    // Optimisation may otherwise read memory earlier than the program does, or
    // where it does not: harmless in the machine, a false race in a recording.
    // Functions are only inlined into each other if both have this or neither; C's
    // inline functions, which may have no other definition, count on it.
    function.addFnAttr(llvm::Attribute::SanitizeThread);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      leave_out_reference(instruction);
      if (const llvm::Value* pointer = pointer_of(instruction)) {
        note_name(instruction, describer.describe_access(instruction, pointer));
      }
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace foretrace::instrument
