#include "instrument/covered_reads.h"

#include <vector>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "instrument/names.h"
#include "instrument/quiet_functions.h"

namespace foretrace::instrument {
namespace {

// The bytes of a load that is so far from the pointer; nothing if that is too far.
std::optional<ObjectBytes> bytes_at(const llvm::LoadInst& load, int64_t offset) {
  const llvm::TypeSize size = load.getDataLayout().getTypeStoreSize(load.getType());
  const auto most = static_cast<int64_t>(ObjectBytes().size());
  if (size.isScalable() || offset < 0 || offset > most) return std::nullopt;
  if (size.getFixedValue() > static_cast<uint64_t>(most - offset)) return std::nullopt;
  ObjectBytes bytes;
  for (uint64_t i = 0; i < size.getFixedValue(); ++i) bytes.set(static_cast<size_t>(offset) + i);
  return bytes;
}

// The same bytes, counted from `offset` bytes before; nothing if one of them is too far from there.
std::optional<ObjectBytes> moved(const ObjectBytes& bytes, int64_t offset) {
  if (offset < 0 || offset >= static_cast<int64_t>(bytes.size())) return std::nullopt;
  const ObjectBytes there = bytes << static_cast<size_t>(offset);
  if (there.count() != bytes.count()) return std::nullopt;
  return there;
}

// How far a pointer that is computed from another is from it.
std::optional<int64_t> step_of(const llvm::GEPOperator& step) {
  const llvm::DataLayout& layout = llvm::cast<llvm::Instruction>(step).getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(step.getType()), 0);
  if (step.getType()->isVectorTy() || !step.accumulateConstantOffset(layout, offset)) {
    return std::nullopt;
  }
  return offset.getSExtValue();
}

// What a function does with one of its parameters.
class ParameterUses {
 public:
  struct HandedOn {
    const llvm::Argument* as;
    int64_t offset;
  };

  ParameterUses(const llvm::Argument& parameter, const References& references)
      : references_(references) {
    follow(parameter, 0);
  }

  bool is_only_read = true;  // at known places, or is handed on
  ObjectBytes read;
  std::vector<HandedOn> handed_on;

 private:
  void follow(const llvm::Value& pointer, int64_t offset) {
    for (const llvm::Use& use : pointer.uses()) {
      if (!is_only_read) return;
      look_at(use, offset);
    }
  }

  void look_at(const llvm::Use& use, int64_t offset) {
    const llvm::User* const user = use.getUser();
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      look_at(*load, offset);
    } else if (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      const std::optional<int64_t> length = step_of(llvm::cast<llvm::GEPOperator>(*step));
      is_only_read &= length.has_value();
      if (length) follow(*step, offset + *length);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
      look_at(*call, use, offset);
    } else {
      is_only_read &= llvm::isa<llvm::ICmpInst>(user);
    }
  }

  void look_at(const llvm::LoadInst& load, int64_t offset) {
    if (references_.is_constant(load)) return;
    const std::optional<ObjectBytes> bytes = bytes_at(load, offset);
    is_only_read &= bytes.has_value() && load.isSimple();
    if (bytes) read |= *bytes;
  }

  void look_at(const llvm::CallBase& call, const llvm::Use& use, int64_t offset) {
    if (call.isDroppable()) return;
    const llvm::Function* const callee = call.getCalledFunction();
    if (callee == nullptr || !call.isArgOperand(&use) ||
        call.getArgOperandNo(&use) >= callee->arg_size()) {
      is_only_read = false;
      return;
    }
    handed_on.push_back({callee->getArg(call.getArgOperandNo(&use)), offset});
  }

  const References& references_;
};

}  // namespace

CoveredReads::CoveredReads(const llvm::Module& module, Which has_hooks, Which can_be_copied) {
  for (const llvm::Function* const function : quiet_functions(module)) {
    if (has_hooks(*function)) covering_.insert(function);
  }
  find_reads(module, can_be_copied);
}

const ObjectBytes* CoveredReads::bytes_read(const llvm::Argument& parameter) const {
  const auto known = read_.find(&parameter);
  return known != read_.end() ? &known->second : nullptr;
}

// What is handed on is read as it is read there. In a recursion that moves the pointer on, it goes
// on until that is too far.
void CoveredReads::find_reads(const llvm::Module& module, Which can_be_copied) {
  llvm::DenseMap<const llvm::Argument*, std::vector<ParameterUses::HandedOn>> handed_on;
  for (const llvm::Function& function : module) {
    if (!covering_.contains(&function) || !can_be_copied(function)) continue;
    const References references(function);
    for (const llvm::Argument& parameter : function.args()) {
      if (!parameter.getType()->isPointerTy() || parameter.hasByValAttr()) continue;
      ParameterUses uses(parameter, references);
      if (!uses.is_only_read) continue;
      read_[&parameter] = uses.read;
      handed_on[&parameter] = std::move(uses.handed_on);
    }
  }
  const auto with_handed_on = [&](const llvm::Argument* parameter) -> std::optional<ObjectBytes> {
    ObjectBytes bytes = read_.lookup(parameter);
    for (const ParameterUses::HandedOn& there : handed_on[parameter]) {
      const ObjectBytes* const theirs = bytes_read(*there.as);
      const std::optional<ObjectBytes> more =
          theirs != nullptr ? moved(*theirs, there.offset) : std::nullopt;
      if (!more) return std::nullopt;
      bytes |= *more;
    }
    return bytes;
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& [parameter, unused] : handed_on) {
      const auto known = read_.find(parameter);
      if (known == read_.end()) continue;
      const std::optional<ObjectBytes> bytes = with_handed_on(parameter);
      if (bytes == known->second) continue;
      if (bytes) known->second = *bytes;
      if (!bytes) read_.erase(known);
      changed = true;
    }
  }
}

bool ReadsBefore::contain(const ObjectBytes& bytes, const llvm::Value& pointer,
                          const llvm::CallBase& call) {
  if (!dominators_) {
    dominators_.emplace(caller_);
    references_.emplace(caller_);
  }
  ObjectBytes found;
  llvm::APInt offset(call.getDataLayout().getIndexTypeSizeInBits(pointer.getType()), 0);
  const llvm::Value* const base = pointer.stripAndAccumulateConstantOffsets(
      call.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  if (llvm::isa<llvm::Constant>(base)) return false;
  add_reads(*base, -offset.getSExtValue(), call, found);
  return (bytes & ~found).none();
}

void ReadsBefore::add_reads(const llvm::Value& pointer, int64_t offset, const llvm::CallBase& call,
                            ObjectBytes& found) const {
  for (const llvm::User* const user : pointer.users()) {
    if (const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      const std::optional<int64_t> length = step_of(llvm::cast<llvm::GEPOperator>(*step));
      if (length) add_reads(*step, offset + *length, call, found);
      continue;
    }
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(user);
    if (load == nullptr || !load->isSimple() || references_->is_constant(*load) ||
        !dominators_->dominates(load, &call)) {
      continue;
    }
    if (const std::optional<ObjectBytes> bytes = bytes_at(*load, offset)) found |= *bytes;
  }
}

}  // namespace foretrace::instrument
