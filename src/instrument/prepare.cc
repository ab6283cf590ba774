#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include "instrument/describe.h"
#include "instrument/instrument.h"
#include "instrument/names.h"

namespace foretrace::instrument {
namespace {

// Names of the standard library's insides tell a user nothing.
bool is_telling(llvm::StringRef what) {
  const llvm::StringRef name = what.ltrim('*');
  return !name.empty() && name != "this" && !name.starts_with("std::") && !name.starts_with("__");
}

void note_name(llvm::Instruction& instruction, const Description& description) {
  if (!is_telling(description.what)) return;
  llvm::LLVMContext& context = instruction.getContext();
  llvm::Metadata* const parts[] = {llvm::MDString::get(context, description.what),
                                   llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                       llvm::Type::getInt64Ty(context), description.element))};
  instruction.setMetadata(kNameMetadata, llvm::MDNode::get(context, parts));
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
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || is_left_alone(function)) continue;
    // Optimisation may otherwise read memory earlier than the program does, or
    // where it does not: harmless in the machine, a false race in a recording.
    function.addFnAttr(llvm::Attribute::SanitizeThread);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (const llvm::Value* pointer = pointer_of(instruction)) {
        note_name(instruction, describer.describe_access(instruction, pointer));
      }
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace foretrace::instrument
