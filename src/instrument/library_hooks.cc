#include "instrument/library_hooks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace foretrace::instrument {
namespace {

// Where the call has returned.
llvm::Instruction* instruction_behind(llvm::CallBase& call) {
  auto* const invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  if (invoke == nullptr) return call.getNextNode();
  llvm::BasicBlock* returned = invoke->getNormalDest();
  if (returned->getSinglePredecessor() == nullptr) {
    returned = llvm::SplitEdge(invoke->getParent(), returned);
  }
  return &*returned->getFirstInsertionPt();
}

}  // namespace

bool LibraryHooks::insert(llvm::CallBase& call) {
  bool any = false;
  llvm::Instruction* behind = nullptr;
  for (const LibraryAccess& access : library_accesses(call)) {
    if (!private_memory_.may_be_shared(access.pointer)) continue;
    llvm::Instruction* place = &call;
    if (access.is_behind(call)) {
      if (call.isMustTailCall()) continue;
      if (behind == nullptr) behind = instruction_behind(call);
      place = behind;
    }
    insert(call, access, place);
    any = true;
  }
  return any;
}

void LibraryHooks::insert(llvm::CallBase& call, const LibraryAccess& access,
                          llvm::Instruction* place) {
  llvm::IRBuilder<> builder(place);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::Constant* const site =
      sites_.site_of(call, describer_.describe_noted(call, access.pointer), {});
  llvm::Value* const bytes = bytes_of(access, call, builder);
  switch (access.kind) {
    case LibraryAccess::Kind::none:
      break;
    case LibraryAccess::Kind::read:
    case LibraryAccess::Kind::write:
      insert_bytes(builder, access.kind == LibraryAccess::Kind::write, access.pointer, bytes, site);
      break;
    case LibraryAccess::Kind::read_string:
      quiet_hooks_.call(builder, hooks_.read_string(), {access.pointer, bytes, site});
      break;
    case LibraryAccess::Kind::read_number:
      quiet_hooks_.call(builder, hooks_.read_number(), {access.pointer, bytes, site});
      break;
    case LibraryAccess::Kind::compare_string:
      quiet_hooks_.call(builder, hooks_.compare_string(),
                        {access.pointer, access.other, bytes, site});
      break;
    case LibraryAccess::Kind::copy_string:
      quiet_hooks_.call(builder, hooks_.copy_string(), {access.pointer, access.other, bytes, site});
      break;
    case LibraryAccess::Kind::append_string:
      quiet_hooks_.call(builder, hooks_.append_string(),
                        {access.pointer, access.other, bytes, site});
      break;
  }
}

// A copy of a small structure is an access like others.
void LibraryHooks::insert_bytes(llvm::IRBuilder<>& builder, bool write, llvm::Value* pointer,
                                llvm::Value* bytes, llvm::Constant* site) {
  const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(bytes);
  llvm::FunctionCallee hook =
      known != nullptr ? hooks_.access(write, known->getZExtValue()) : llvm::FunctionCallee();
  if (hook) {
    quiet_hooks_.call(builder, hook, {pointer, site});
  } else {
    quiet_hooks_.call(builder, hooks_.range(write), {pointer, bytes, site});
  }
}

}  // namespace foretrace::instrument
