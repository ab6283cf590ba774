#include "instrument/describe.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "instrument/names.h"

namespace foretrace::instrument {
namespace {

constexpr unsigned kMaxDepth = 6;  // of pointers to pointers to …

// Past typedef, const and the like.
const llvm::DIType* plain_type(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_atomic_type:
        type = derived->getBaseType();
        break;
      default:
        return type;
    }
  }
  return type;
}

// A mutex, a string: what is inside is nobody's business.
bool is_library_type(const llvm::DIType* type) {
  for (; type != nullptr;) {
    const auto* space = llvm::dyn_cast_or_null<llvm::DINamespace>(type->getScope());
    if (space != nullptr && space->getName() == "std") return true;
    const llvm::StringRef name = type->getName();
    if (name.starts_with("pthread_") || name == "sem_t" || name == "mtx_t" || name == "cnd_t") {
      return true;
    }
    const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
    if (derived == nullptr || derived->getTag() == llvm::dwarf::DW_TAG_pointer_type) return false;
    type = derived->getBaseType();
  }
  return false;
}

bool is_reference(const llvm::DIType* type) {
  return type != nullptr && (type->getTag() == llvm::dwarf::DW_TAG_reference_type ||
                             type->getTag() == llvm::dwarf::DW_TAG_rvalue_reference_type);
}

// The member of a structure at a byte offset; null if there is none.
const llvm::DIDerivedType* member_at(const llvm::DICompositeType& type, uint64_t offset) {
  const llvm::DIDerivedType* found = nullptr;
  for (const llvm::DINode* node : type.getElements()) {
    const auto* member = llvm::dyn_cast_or_null<llvm::DIDerivedType>(node);
    if (member == nullptr || member->isStaticMember()) continue;
    if (member->getTag() != llvm::dwarf::DW_TAG_member &&
        member->getTag() != llvm::dwarf::DW_TAG_inheritance) {
      continue;
    }
    const llvm::DIType* const plain = plain_type(member->getBaseType());
    const uint64_t bits = plain != nullptr ? plain->getSizeInBits() : member->getSizeInBits();
    const uint64_t first = member->getOffsetInBits() / 8;
    if (first <= offset && offset < first + std::max<uint64_t>(1, bits / 8)) found = member;
  }
  return found;
}

// How many bytes memset, memcpy and the like access; 1 where it is not known.
uint64_t range_of(const llvm::Instruction& access) {
  const auto* range = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&access);
  const auto* length =
      range != nullptr ? llvm::dyn_cast<llvm::ConstantInt>(range->getLength()) : nullptr;
  return length != nullptr ? length->getZExtValue() : 1;
}

// What a pointer points to, by a type that has a name; null if that is not known.
const llvm::DIType* pointee(const llvm::DIType* pointer) {
  const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(plain_type(pointer));
  if (derived == nullptr || derived->getTag() != llvm::dwarf::DW_TAG_pointer_type) return nullptr;
  const llvm::DIType* type = derived->getBaseType();
  // A typedef stays: in C it is the only name that many structures have.
  while (type != nullptr && type->getName().empty() && llvm::isa<llvm::DIDerivedType>(type)) {
    type = llvm::cast<llvm::DIDerivedType>(type)->getBaseType();
  }
  return type != nullptr && !type->getName().empty() ? type : nullptr;
}

// What the source says of a global; null if nothing.
const llvm::DIGlobalVariable* variable_of(const llvm::GlobalVariable& global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> expressions;
  global.getDebugInfo(expressions);
  return expressions.empty() ? nullptr : expressions.front()->getVariable();
}

// "class.ns::Account.12" -> "ns::Account".
llvm::StringRef source_name(llvm::StringRef structure) {
  structure.consume_front("class.") || structure.consume_front("struct.") ||
      structure.consume_front("union.");
  const auto [front, back] = structure.rsplit('.');
  const bool numbered = !back.empty() && back.find_first_not_of("0123456789") == back.npos;
  return numbered ? front : structure;
}

}  // namespace

std::string qualified_name(const llvm::DIScope* scope, llvm::StringRef name) {
  std::string text = name.str();
  for (; scope != nullptr; scope = scope->getScope()) {
    const bool named =
        llvm::isa<llvm::DINamespace>(scope) || llvm::isa<llvm::DICompositeType>(scope);
    if (named && !scope->getName().empty()) text = (scope->getName() + "::" + text).str();
  }
  return text;
}

Describer::Describer(const llvm::Module& module) : module_(module) {
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  for (const llvm::DIType* type : finder.types()) {
    note_typedef(type);
    const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(type);
    if (composite == nullptr || composite->isForwardDecl()) continue;
    // Those without a name, as arrays and what C's typedefs are for, cannot be told apart by it.
    if (!composite->getName().empty()) {
      types_[qualified_name(composite->getScope(), composite->getName())] = composite;
    }
    if (!composite->getIdentifier().empty()) types_[composite->getIdentifier()] = composite;
  }
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      for (const llvm::DbgVariableRecord& record :
           llvm::filterDbgVars(instruction.getDbgRecordRange())) {
        for (const llvm::Value* value : record.location_ops()) {
          const auto [known, is_new] = locals_.try_emplace(value, record.getVariable());
          // A variable that knows what it points to says more than a void*.
          if (!is_new && pointee(known->second->getType()) == nullptr &&
              pointee(record.getVariable()->getType()) != nullptr) {
            known->second = record.getVariable();
          }
        }
      }
    }
  }
}

// "item" says more than "_stritem", if the source has both for a structure.
void Describer::note_typedef(const llvm::DIType* type) {
  const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
  if (derived == nullptr || derived->getTag() != llvm::dwarf::DW_TAG_typedef) return;
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(derived->getBaseType());
  if (composite == nullptr) return;
  if (composite->getName().empty() || composite->getName().starts_with("_")) {
    typedefs_.try_emplace(composite, derived);
  }
}

std::string Describer::name_of(const llvm::DIType* type) const {
  if (const auto known = typedefs_.find(type); known != typedefs_.end()) type = known->second;
  return qualified_name(type->getScope(), type->getName());
}

const llvm::DICompositeType* Describer::type_named(llvm::StringRef name) const {
  const auto found = types_.find(name);
  return found != types_.end() ? found->second : nullptr;
}

const llvm::DIType* Describer::type_of(const llvm::StructType& structure,
                                       const llvm::Value* pointer) const {
  if (structure.hasName()) {
    if (const auto* type = type_named(source_name(structure.getName()))) return type;
  }
  // Elements of an array have the type of the first one.
  for (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer);
       gep != nullptr && gep->getNumIndices() == 1 && gep->getSourceElementType() == &structure;
       gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    pointer = gep->getPointerOperand();
  }
  const llvm::DIType* type = nullptr;
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(pointer);
  const llvm::Value* const holder = load != nullptr ? load->getPointerOperand() : pointer;
  if (const auto local = locals_.find(holder); local != locals_.end()) {
    type = pointee(local->second->getType());
  } else if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(holder)) {
    const llvm::DIGlobalVariable* const variable = variable_of(*global);
    if (variable != nullptr) type = pointee(variable->getType());
  }
  const llvm::DIType* const plain = plain_type(type);
  const uint64_t bytes =
      module_.getDataLayout().getTypeAllocSize(const_cast<llvm::StructType*>(&structure));
  return plain != nullptr && plain->getSizeInBits() == bytes * 8 ? type : nullptr;
}

std::string Describer::member_path(const llvm::DIType* type, uint64_t offset, uint64_t* element,
                                   uint64_t bytes) {
  if (is_library_type(type)) return "";
  type = plain_type(type);
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  if (composite == nullptr) return "";
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const llvm::DIType* const item = plain_type(composite->getBaseType());
    const uint64_t item_bytes = item != nullptr ? item->getSizeInBits() / 8 : 0;
    if (item_bytes == 0) return "";
    *element = item_bytes;
    return "[…]" +
           (bytes > item_bytes ? "" : member_path(item, offset % item_bytes, element, bytes));
  }
  const llvm::DIDerivedType* const member = member_at(*composite, offset);
  if (member == nullptr) return "";
  const uint64_t inside = offset - member->getOffsetInBits() / 8;
  const llvm::DIType* const plain = plain_type(member->getBaseType());
  if (bytes > 1 && plain != nullptr && inside + bytes > plain->getSizeInBits() / 8) return "";
  std::string rest = member_path(member->getBaseType(), inside, element, bytes);
  if (member->getTag() == llvm::dwarf::DW_TAG_inheritance) return rest;
  return "." + member->getName().str() + rest;
}

Description Describer::describe_global(const llvm::GlobalVariable& global, uint64_t offset,
                                       uint64_t bytes) const {
  const llvm::DIGlobalVariable* const variable = variable_of(global);
  if (variable == nullptr) return {global.getName().str(), 0};
  Description description;
  description.what = qualified_name(variable->getScope(), variable->getName());
  description.what += member_path(variable->getType(), offset, &description.element, bytes);
  return description;
}

// Through a pointer that a variable or a member holds.
Description Describer::describe_pointee(const llvm::Value* pointer, unsigned depth) const {
  const llvm::DILocalVariable* variable = nullptr;
  if (const auto found = locals_.find(pointer); found != locals_.end()) variable = found->second;
  if (variable != nullptr) {
    const std::string name = variable->getName().str();
    return {is_reference(variable->getType()) ? name : "*" + name, 0};
  }
  Description holder = describe(pointer, depth + 1);
  if (!holder.what.empty()) holder.what = "*" + holder.what;
  holder.element = 0;
  return holder;
}

// An address that is computed from another one.
Description Describer::describe_element(const llvm::User& address, unsigned depth) const {
  const auto& gep = llvm::cast<llvm::GEPOperator>(address);
  const llvm::DataLayout& layout = module_.getDataLayout();
  const auto* structure = llvm::dyn_cast<llvm::StructType>(gep.getSourceElementType());
  if (structure != nullptr && gep.getNumIndices() >= 2) {
    llvm::APInt offset(64, 0);
    const llvm::DIType* const type = type_of(*structure, gep.getPointerOperand());
    if (type != nullptr && gep.accumulateConstantOffset(layout, offset)) {
      Description description;
      const std::string path = member_path(type, offset.getZExtValue(), &description.element);
      if (!path.empty()) {
        description.what = name_of(type) + "::" + path.substr(1);
        return description;
      }
    }
  }
  Description base = describe(gep.getPointerOperand(), depth + 1);
  if (gep.hasAllConstantIndices() || base.what.empty()) return base;
  const llvm::StringRef shown = base.what;
  if (!shown.ends_with("[…]"))
    base.what = (shown.starts_with("*") ? shown.drop_front() : shown).str() + "[…]";
  base.element = layout.getTypeAllocSize(gep.getResultElementType());
  return base;
}

Description Describer::describe(const llvm::Value* pointer, unsigned depth) const {
  if (depth > kMaxDepth) return {};
  // The address of a structure's first member is a cast for LLVM, but says more.
  if (!llvm::isa<llvm::GEPOperator>(pointer)) pointer = pointer->stripPointerCasts();
  const llvm::DataLayout& layout = module_.getDataLayout();
  llvm::APInt offset(64, 0);
  const llvm::Value* const base =
      pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base)) {
    return describe_global(*global, offset.getZExtValue());
  }
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(base)) {
    if (intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address) {
      return describe(intrinsic->getArgOperand(0), depth + 1);
    }
  }
  if (llvm::isa<llvm::GEPOperator>(pointer)) {
    return describe_element(*llvm::cast<llvm::User>(pointer), depth);
  }
  if (llvm::isa<llvm::AllocaInst>(pointer)) {
    const auto found = locals_.find(pointer);
    return {found != locals_.end() ? found->second->getName().str() : "", 0};
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer)) {
    return describe_pointee(load->getPointerOperand(), depth);
  }
  if (llvm::isa<llvm::Argument>(pointer)) return describe_pointee(pointer, kMaxDepth);
  return {};
}

Description Describer::describe_by_tbaa(const llvm::Instruction& access) const {
  const llvm::MDNode* const tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (tag == nullptr || tag->getNumOperands() < 3) return {};
  const auto* base = llvm::dyn_cast_or_null<llvm::MDNode>(tag->getOperand(0));
  if (base == nullptr || base == tag->getOperand(1) || base->getNumOperands() < 3) return {};
  const auto* name = llvm::dyn_cast<llvm::MDString>(base->getOperand(0));
  const auto* offset = llvm::mdconst::dyn_extract<llvm::ConstantInt>(tag->getOperand(2));
  if (name == nullptr || offset == nullptr) return {};
  const llvm::DICompositeType* const type = type_named(name->getString());
  if (type == nullptr) return {};
  Description description;
  const std::string path = member_path(type, offset->getZExtValue(), &description.element);
  if (path.empty()) return {};
  description.what = name_of(type) + "::" + path.substr(1);
  return description;
}

Description Describer::describe_access(const llvm::Instruction& access,
                                       const llvm::Value* pointer) const {
  const llvm::Value* const object = llvm::getUnderlyingObject(pointer);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    llvm::APInt offset(64, 0);
    const bool is_constant =
        pointer->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset,
                                                   /*AllowNonInbounds=*/true) == global;
    return is_constant ? describe_global(*global, offset.getZExtValue(), range_of(access))
                       : describe(pointer);
  }
  const Description by_type = describe_by_tbaa(access);
  return by_type.what.empty() ? describe(pointer) : by_type;
}

Description Describer::describe_noted(const llvm::Instruction& access,
                                      const llvm::Value* pointer) const {
  Description now = describe_access(access, pointer);
  if (llvm::isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer))) return now;
  const llvm::MDNode* const noted = access.getMetadata(kNameMetadata);
  if (noted == nullptr) return is_telling(now.what) ? now : Description();
  return {llvm::cast<llvm::MDString>(noted->getOperand(0))->getString().str(),
          llvm::mdconst::extract<llvm::ConstantInt>(noted->getOperand(1))->getZExtValue()};
}

}  // namespace foretrace::instrument
