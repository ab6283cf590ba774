#include "instrument/inlined_check.h"

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "runtime/inlined_state.h"

namespace foretrace::instrument {
namespace {

using runtime::Filter;
using runtime::FilterEntry;
using runtime::InlinedState;
using runtime::Shadow;

llvm::GlobalVariable* declare_state(llvm::Module& module) {
  constexpr const char* kName = "__foretrace_thread";
  if (llvm::GlobalVariable* const known = module.getNamedGlobal(kName)) return known;
  llvm::Type* const type =
      llvm::ArrayType::get(llvm::Type::getInt64Ty(module.getContext()), sizeof(InlinedState) / 8);
  return new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                  llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                  llvm::GlobalValue::InitialExecTLSModel);
}

class Check {
 public:
  explicit Check(llvm::IRBuilder<>& builder)
      : builder_(builder), state_(declare_state(*builder.GetInsertBlock()->getModule())) {}

  // The filter's entries; null if the thread has recorded nothing yet.
  llvm::Value* entries() { return state(builder_.getPtrTy(), Filter::kMemoryAt); }

  llvm::Value* is_new(llvm::Value* entries, llvm::Value* pointer, uint64_t bytes) {
    llvm::Value* const address = builder_.CreatePtrToInt(pointer, builder_.getInt64Ty());
    return builder_.CreateOr(builder_.CreateIsNotNull(unknown_of(entries, address, bytes)),
                             has_later(address));
  }

 private:
  llvm::IntegerType* small() { return builder_.getInt32Ty(); }

  llvm::Value* load(llvm::Type* type, llvm::Value* pointer, uint64_t offset) {
    return builder_.CreateLoad(type, builder_.CreatePtrAdd(pointer, builder_.getInt64(offset)));
  }
  llvm::Value* state(llvm::Type* type, uint64_t offset) {
    return load(type, builder_.CreateThreadLocalAddress(state_), offset);
  }

  // Not zero if not all bytes are known as read, and none of them as written, in this epoch.
  // A read that reaches into the next granule has bits that no entry has.
  llvm::Value* unknown_of(llvm::Value* entries, llvm::Value* address, uint64_t bytes) {
    llvm::Value* const place = builder_.CreateAnd(
        builder_.CreateLShr(address, runtime::kGranuleShift), Filter::kEntries - 1);
    llvm::Value* const entry =
        load(builder_.getInt64Ty(), builder_.CreateGEP(builder_.getInt64Ty(), entries, place), 0);
    llvm::Value* const upper = builder_.CreateAnd(
        builder_.CreateTrunc(builder_.CreateLShr(address, Filter::kTagShift), small()),
        ~(Filter::kEpochs - 1));
    llvm::Value* const tag = builder_.CreateOr(upper, state(small(), Filter::kEpochAt));
    llvm::Value* const other = builder_.CreateXor(builder_.CreateTrunc(entry, small()), tag);

    llvm::Value* const within =
        builder_.CreateAnd(builder_.CreateTrunc(address, small()), runtime::kGranuleBytes - 1);
    llvm::Value* const bits = builder_.CreateShl(builder_.getInt32((1U << bytes) - 1), within);
    llvm::Value* const touched = part(entry, FilterEntry::kTouchedAt);
    llvm::Value* const wrote = part(entry, FilterEntry::kWroteAt);
    llvm::Value* const only_read = builder_.CreateAnd(touched, builder_.CreateNot(wrote));
    return builder_.CreateOr(other, builder_.CreateAnd(bits, builder_.CreateNot(only_read)));
  }

  llvm::Value* part(llvm::Value* entry, uint64_t offset) {
    return builder_.CreateAnd(builder_.CreateTrunc(builder_.CreateLShr(entry, 8 * offset), small()),
                              FilterEntry::kAll);
  }

  // Whether there is a write with a later stamp than the thread's own.
  llvm::Value* has_later(llvm::Value* address) {
    constexpr uint64_t kShadow = offsetof(InlinedState, shadow);
    llvm::Value* const mask = state(builder_.getInt64Ty(), kShadow + offsetof(Shadow, mask));
    llvm::Value* const stamps =
        state(builder_.getPtrTy(), kShadow + offsetof(Shadow, write_stamps));
    llvm::Value* const cell =
        builder_.CreateLShr(builder_.CreateAnd(address, mask), runtime::kGranuleShift);
    llvm::LoadInst* const theirs =
        builder_.CreateLoad(small(), builder_.CreateGEP(small(), stamps, cell));
    theirs->setAtomic(llvm::AtomicOrdering::Acquire);
    llvm::Value* const mine = state(small(), offsetof(InlinedState, stamp));
    return builder_.CreateICmpSGT(builder_.CreateSub(theirs, mine), builder_.getInt32(0));
  }

  llvm::IRBuilder<>& builder_;
  llvm::GlobalVariable* state_;
};

}  // namespace

void skip_if_repeated(llvm::CallInst& hook, uint64_t bytes) {
  llvm::BasicBlock* const first = hook.getParent();
  llvm::BasicBlock* const calls = first->splitBasicBlock(&hook);
  llvm::BasicBlock* const behind = calls->getSingleSuccessor();
  llvm::BasicBlock* const checks =
      llvm::BasicBlock::Create(hook.getContext(), "", hook.getFunction(), calls);
  first->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(first);
  builder.SetCurrentDebugLocation(hook.getDebugLoc());
  Check check(builder);
  llvm::MDNode* const seldom = llvm::MDBuilder(hook.getContext()).createUnlikelyBranchWeights();
  llvm::Value* const entries = check.entries();
  builder.CreateCondBr(builder.CreateIsNull(entries), calls, checks, seldom);
  builder.SetInsertPoint(checks);
  builder.CreateCondBr(check.is_new(entries, hook.getArgOperand(0), bytes), calls, behind, seldom);
}

}  // namespace foretrace::instrument
