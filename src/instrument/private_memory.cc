#include "instrument/private_memory.h"

#include <utility>
#include <vector>

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "instrument/names.h"

namespace foretrace::instrument {
namespace {

// What could make the program too large.
constexpr size_t kMostInstructions = 1000;  // of a function that is copied
constexpr size_t kMostCopies = 3;           // of one function,
constexpr size_t kMostCovered = 2;          // and of those in which reads are covered

bool is_local(const llvm::Value& value) {
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&value)) {
    return argument->hasByValAttr();
  }
  return llvm::isa<llvm::AllocaInst>(value);
}

// The parameter that an operand of a call becomes.
const llvm::Argument* parameter_of(const llvm::Use& operand) {
  const auto* const call = llvm::dyn_cast<llvm::CallBase>(operand.getUser());
  if (call == nullptr || !call->isArgOperand(&operand)) return nullptr;
  const llvm::Function* const callee = call->getCalledFunction();
  const unsigned number = call->getArgOperandNo(&operand);
  return callee != nullptr && number < callee->arg_size() ? callee->getArg(number) : nullptr;
}

// Whether a pointer is kept, and as which parameters it is handed on.
class Fate : public llvm::CaptureTracker {
 public:
  explicit Fate(const llvm::DenseSet<const llvm::Function*>& copyable) : copyable_(copyable) {}

  void tooManyUses() override { is_kept = true; }

  // Only who has the pointer itself can use it: that it is compared makes it known to nobody.
  Action captured(const llvm::Use* use, llvm::UseCaptureInfo info) override {
    if (!llvm::capturesAnyProvenance(info.UseCC)) return Continue;
    const llvm::Argument* const parameter = parameter_of(*use);
    if (parameter != nullptr && copyable_.contains(parameter->getParent())) {
      handed_on_as.push_back(parameter);
      return ContinueIgnoringReturn;  // a function that returns it keeps it
    }
    is_kept = true;
    return Stop;
  }

  bool is_kept = false;
  llvm::SmallVector<const llvm::Argument*, 4> handed_on_as;

 private:
  const llvm::DenseSet<const llvm::Function*>& copyable_;
};

bool can_be_copied(const llvm::Function& function) {
  if (function.isDeclarationForLinker() || function.isInterposable() || function.isVarArg() ||
      function.hasOptNone() || function.isPresplitCoroutine() || is_left_alone(function) ||
      function.getName() == "main" || function.getInstructionCount() > kMostInstructions) {
    return false;
  }
  for (const llvm::BasicBlock& block : function) {
    if (block.hasAddressTaken() || block.getTerminatingMustTailCall() != nullptr) return false;
  }
  return !function.callsFunctionThatReturnsTwice();
}

}  // namespace

PrivateMemory::PrivateMemory(llvm::Module& module, MayCopy may_copy) {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    functions.push_back(&function);
    if (can_be_copied(function) && may_copy(function)) copyable_.insert(&function);
  }
  find_private(module);
  find_accessed();
  const CoveredReads reads(
      module,
      [&](const llvm::Function& function) {
        return !function.hasOptNone() && !is_left_alone(function) && may_copy(function);
      },
      [&](const llvm::Function& function) { return copyable_.contains(&function); });
  for (llvm::Function* const function : functions) redirect_calls(*function, reads);
}

bool PrivateMemory::may_be_shared(const llvm::Value* pointer) const {
  if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError()) return false;
  const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    return !global->isConstant() && !global->getName().starts_with("__llvm") &&
           !global->getName().starts_with("llvm.");
  }
  return !contains(object);
}

bool PrivateMemory::is_covered(const llvm::Value* pointer) const {
  return covered_.contains(llvm::getUnderlyingObject(pointer));
}

// Memory is private unless somebody keeps a pointer to it, which goes from parameters to all
// that is handed on as them.
void PrivateMemory::find_private(llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Argument& argument : function.args()) {
      if (argument.hasByValAttr() || copyable_.contains(&function)) look_at(argument);
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (is_local(instruction)) look_at(instruction);
    }
  }
  llvm::SmallVector<const llvm::Argument*, 32> kept;
  for (const auto& [parameter, memory] : handed_on_as_) {
    if (!not_kept_.contains(parameter)) kept.push_back(parameter);
  }
  while (!kept.empty()) {
    const auto handed_on = handed_on_as_.find(kept.pop_back_val());
    if (handed_on == handed_on_as_.end()) continue;
    for (const llvm::Value* const memory : handed_on->second) {
      if (!not_kept_.erase(memory)) continue;
      if (const auto* parameter = llvm::dyn_cast<llvm::Argument>(memory)) kept.push_back(parameter);
    }
  }
  for (const llvm::Value* const memory : not_kept_) {
    if (is_local(*memory)) private_.insert(memory);
  }
}

void PrivateMemory::look_at(const llvm::Value& memory) {
  if (!memory.getType()->isPointerTy()) return;
  Fate fate(copyable_);
  llvm::PointerMayBeCaptured(&memory, &fate);
  if (fate.is_kept) return;
  not_kept_.insert(&memory);
  for (const llvm::Argument* const parameter : fate.handed_on_as) {
    handed_on_as_[parameter].push_back(&memory);
  }
}

void PrivateMemory::find_accessed() {
  llvm::DenseMap<const llvm::Argument*, llvm::SmallVector<const llvm::Argument*, 4>> callers;
  llvm::SmallVector<const llvm::Argument*, 32> left;
  const auto add = [&](const llvm::Argument* parameter) {
    if (parameter != nullptr && accessed_.insert(parameter).second) left.push_back(parameter);
  };
  const auto parameter_at = [](const llvm::Value* pointer) {
    return llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
  };
  for (const llvm::Function* const function : copyable_) {
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
        add(parameter_at(pointer));
      }
      const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      for (const llvm::Use& operand : call->args()) {
        if (!operand->getType()->isPointerTy()) continue;
        const llvm::Argument* const mine = parameter_at(operand);
        const llvm::Argument* const theirs = parameter_of(operand);
        if (mine == nullptr) continue;
        if (theirs != nullptr && copyable_.contains(theirs->getParent())) {
          callers[theirs].push_back(mine);
        } else if (call->mayReadOrWriteMemory()) {
          add(mine);  // such as memcpy
        }
      }
    }
  }
  while (!left.empty()) {
    const auto known = callers.find(left.pop_back_val());
    if (known == callers.end()) continue;
    for (const llvm::Argument* const caller : known->second) add(caller);
  }
}

void PrivateMemory::redirect_calls(llvm::Function& caller, const CoveredReads& reads) {
  ReadsBefore before(caller);
  for (llvm::Instruction& instruction : llvm::instructions(caller)) {
    auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    llvm::Function* const callee = call != nullptr ? copyable_callee(*call) : nullptr;
    if (callee == nullptr) continue;
    Parameters parameters;
    parameters.to_private = private_parameters(*call, *callee);
    parameters.covered = covered_parameters(*call, *callee, reads, before);
    if (parameters.any()) call->setCalledFunction(copy_of(*callee, std::move(parameters), reads));
  }
}

llvm::Function* PrivateMemory::copyable_callee(const llvm::CallBase& call) const {
  llvm::Function* callee = call.getCalledFunction();
  if (llvm::Function* const original = originals_.lookup(callee)) callee = original;
  return callee != nullptr && copyable_.contains(callee) ? callee : nullptr;
}

llvm::SmallBitVector PrivateMemory::private_parameters(const llvm::CallBase& call,
                                                       const llvm::Function& callee) const {
  llvm::SmallBitVector parameters(static_cast<unsigned>(callee.arg_size()));
  for (const llvm::Argument& parameter : callee.args()) {
    const llvm::Value* const given = call.getArgOperand(parameter.getArgNo());
    if (!parameter.getType()->isPointerTy() || parameter.hasByValAttr() ||
        !not_kept_.contains(&parameter) || !contains(llvm::getUnderlyingObject(given))) {
      continue;
    }
    // Of a function that the linker may take from elsewhere it is only known of this copy
    // that it keeps nothing.
    if (accessed_.contains(&parameter) || !callee.hasExactDefinition()) {
      parameters.set(parameter.getArgNo());
    }
  }
  return parameters;
}

// What is covered in the caller is so all the way down: the bytes that count are those that all
// functions read that it is handed on to.
llvm::SmallBitVector PrivateMemory::covered_parameters(const llvm::CallBase& call,
                                                       const llvm::Function& callee,
                                                       const CoveredReads& reads,
                                                       ReadsBefore& before) const {
  llvm::SmallBitVector parameters(static_cast<unsigned>(callee.arg_size()));
  const llvm::Function* caller = call.getFunction();
  if (const llvm::Function* const original = originals_.lookup(caller)) caller = original;
  if (!reads.may_cover(*caller)) return parameters;
  for (const llvm::Argument& parameter : callee.args()) {
    const ObjectBytes* const bytes = reads.bytes_read(parameter);
    const llvm::Value* const given = call.getArgOperand(parameter.getArgNo());
    if (bytes == nullptr || bytes->none() || !may_be_shared(given)) continue;
    if (is_covered(given) || before.contain(*bytes, *given, call)) {
      parameters.set(parameter.getArgNo());
    }
  }
  return parameters;
}

llvm::Function* PrivateMemory::copy_of(llvm::Function& function, Parameters parameters,
                                       const CoveredReads& reads) {
  const llvm::SmallVector<Copy, 1>& copies = copies_[&function];
  const auto known = [&] {
    return llvm::find_if(copies, [&](const Copy& copy) { return copy.parameters == parameters; });
  };
  if (known() != copies.end()) return known()->function;
  const auto covering = static_cast<size_t>(
      llvm::count_if(copies, [](const Copy& copy) { return copy.parameters.covered.any(); }));
  if (parameters.covered.any()) {
    if (covering < kMostCovered) return new_copy(function, parameters, reads);
    parameters.covered.reset();
    if (!parameters.any()) return &function;
    if (known() != copies.end()) return known()->function;
  }
  if (copies.size() - covering < kMostCopies) return new_copy(function, parameters, reads);
  for (const Copy& copy : copies) {
    if (copy.parameters.are_among(parameters)) return copy.function;
  }
  parameters.to_private.reset();
  return new_copy(function, parameters, reads);
}

llvm::Function* PrivateMemory::new_copy(llvm::Function& function, const Parameters& parameters,
                                        const CoveredReads& reads) {
  llvm::ValueToValueMapTy map;
  llvm::Function* const copy = llvm::CloneFunction(&function, map);
  copy->setName(function.getName() + kCopySuffix);
  copy->setLinkage(llvm::GlobalValue::InternalLinkage);
  copy->setVisibility(llvm::GlobalValue::DefaultVisibility);
  copy->setComdat(nullptr);
  copies_[&function].push_back({parameters, copy});
  originals_[copy] = &function;
  for (const auto& [from, to] : map) {
    if (contains(from)) private_.insert(to);
  }
  for (const unsigned i : parameters.to_private.set_bits()) private_.insert(copy->getArg(i));
  for (const unsigned i : parameters.covered.set_bits()) covered_.insert(copy->getArg(i));
  redirect_calls(*copy, reads);
  return copy;
}

}  // namespace foretrace::instrument
