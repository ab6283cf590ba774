#include "instrument/hooks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include "runtime/atomic_order.h"

namespace foretrace::instrument {

Hooks::Hooks(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const nothing = llvm::Type::getVoidTy(context);
  llvm::Type* const pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* const small = llvm::Type::getInt32Ty(context);
  llvm::Type* const large = llvm::Type::getInt64Ty(context);
  active_ = llvm::cast<llvm::GlobalVariable>(
      module.getOrInsertGlobal("__foretrace_active", llvm::Type::getInt8Ty(context)));
  for (const bool write : {false, true}) {
    const std::string name = write ? "__foretrace_write" : "__foretrace_read";
    for (unsigned power = 0; power < 5; ++power) {
      const std::string sized = name + std::to_string(1U << power);
      access_[write ? 1 : 0][power] = declare(module, sized, nothing, {pointer, pointer});
      foreseen_[write ? 1 : 0][power] =
          declare(module, sized + "_foreseen", nothing, {pointer, pointer});
    }
    range_[write ? 1 : 0] = declare(module, name + "_range", nothing, {pointer, large, pointer});
    strided_[write ? 1 : 0] =
        declare(module, name + "_strided", nothing, {pointer, large, large, small, pointer});
    strided_parts_[write ? 1 : 0] =
        declare(module, name + "_strided_parts", nothing, {pointer, large, large, small, pointer});
  }
  for (unsigned power = 0; power < 5; ++power) {
    const std::string name = "__foretrace_update" + std::to_string(1U << power);
    for (const unsigned foreseen : {0U, 1U}) {
      const char* const how = foreseen != 0 ? "_foreseen" : "";
      update_[foreseen][power] = declare(module, name + how, nothing, {pointer, pointer});
      update_pair_[foreseen][power] =
          declare(module, name + "_pair" + how, nothing, {pointer, pointer});
    }
  }
  llvm::Type* const truth = llvm::Type::getInt1Ty(context);
  is_range_written_ = declare(module, "__foretrace_is_range_written", truth, {pointer, large});
  is_strided_written_ =
      declare(module, "__foretrace_is_strided_written", truth, {pointer, large, large, small});
  may_reach_ = declare(module, "__foretrace_may_reach", truth, {pointer, large, large});
  read_group_ = declare(module, "__foretrace_read_parts", nothing, {pointer, large, pointer});
  steering_read_ = declare(module, "__foretrace_steering_read", nothing, {pointer, large, pointer});
  read_string_ = declare(module, "__foretrace_read_string", nothing, {pointer, large, pointer});
  read_number_ = declare(module, "__foretrace_read_number", nothing, {pointer, large, pointer});
  llvm::Type* const two_strings[] = {pointer, pointer, large, pointer};
  compare_string_ = declare(module, "__foretrace_compare_string", nothing, two_strings);
  copy_string_ = declare(module, "__foretrace_copy_string", nothing, two_strings);
  append_string_ = declare(module, "__foretrace_append_string", nothing, two_strings);
  entry_ = declare(module, "__foretrace_entry", nothing, {pointer, pointer});
  loop_ = declare(module, "__foretrace_loop", nothing, {pointer});
  call_ = declare(module, "__foretrace_call", nothing, {pointer});
  section_front_ = declare(module, "__foretrace_section_front", nothing, {pointer, small, pointer});
  section_behind_ =
      declare(module, "__foretrace_section_behind", nothing, {pointer, small, pointer});
  section_left_ = declare(module, "__foretrace_section_left", nothing, {});
  atomic_begin_ = declare(module, "__foretrace_atomic_begin", pointer, {pointer});
  llvm::Type* const end[] = {pointer, pointer, small, pointer};
  atomic_read_ = declare(module, "__foretrace_atomic_read", nothing, end);
  atomic_write_ = declare(module, "__foretrace_atomic_write", nothing, end);
  atomic_update_ = declare(module, "__foretrace_atomic_update", nothing, end);
  atomic_exchange_ = declare(module, "__foretrace_atomic_exchange", nothing,
                             {pointer, pointer, small, small, pointer});
  fence_ = declare(module, "__foretrace_fence", nothing, {});
}

llvm::FunctionCallee Hooks::declare(llvm::Module& module, const std::string& name,
                                    llvm::Type* result,
                                    llvm::ArrayRef<llvm::Type*> parameters) const {
  llvm::AttributeList attributes;
  attributes = attributes.addFnAttribute(module.getContext(), llvm::Attribute::NoUnwind);
  attributes = attributes.addFnAttribute(module.getContext(), llvm::Attribute::NonLazyBind);
  return module.getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false),
                                    attributes);
}

uint32_t order_of(const llvm::Instruction& atomic) {
  const auto flag = [](llvm::AtomicOrdering order, uint32_t bit) {
    return llvm::isStrongerThanMonotonic(order) ? 0 : bit;
  };
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&atomic)) {
    return flag(exchange->getSuccessOrdering(), runtime::kRelaxed) |
           flag(exchange->getFailureOrdering(), runtime::kRelaxedIfFailed);
  }
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&atomic)) {
    return flag(update->getOrdering(), runtime::kRelaxed);
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&atomic)) {
    return flag(load->getOrdering(), runtime::kRelaxed);
  }
  return flag(llvm::cast<llvm::StoreInst>(atomic).getOrdering(), runtime::kRelaxed);
}

namespace {

bool has_hook(uint64_t bytes) { return llvm::isPowerOf2_64(bytes) && bytes <= 16; }

}  // namespace

llvm::FunctionCallee Hooks::access(bool write, uint64_t bytes, bool foreseen) const {
  if (!has_hook(bytes)) return {};
  return (foreseen ? foreseen_ : access_)[write ? 1 : 0][llvm::Log2_64(bytes)];
}

llvm::FunctionCallee Hooks::update(uint64_t bytes, bool foreseen) const {
  return has_hook(bytes) ? update_[foreseen ? 1 : 0][llvm::Log2_64(bytes)] : llvm::FunctionCallee();
}

llvm::FunctionCallee Hooks::update_pair(uint64_t bytes, bool foreseen) const {
  return update_pair_[foreseen ? 1 : 0][llvm::Log2_64(bytes)];
}

}  // namespace foretrace::instrument
