#include "instrument/sites.h"

#include <llvm/ADT/Twine.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "instrument/names.h"
#include "instrument/private_memory.h"
#include "instrument/read_groups.h"
#include "runtime/filter.h"
#include "runtime/site.h"

namespace foretrace::instrument {
namespace {

std::string name_of(const llvm::DISubprogram& function) {
  return qualified_name(function.getScope(), function.getName());
}

const llvm::DILocation* shown_place(const llvm::DILocation* place) {
  for (const llvm::DILocation* outer = place; outer != nullptr; outer = outer->getInlinedAt()) {
    if (!is_system_file(outer->getFilename()) ||
        is_noisy(name_of(*outer->getScope()->getSubprogram()))) {
      return outer;
    }
  }
  return place;
}

// Relative to where the compiler ran. Clang also makes names relative to a folder
// above that, which the name alone would not say.
std::string file_name(const llvm::DILocation& place) {
  const llvm::StringRef name = place.getFilename();
  const llvm::DICompileUnit* const unit = place.getScope()->getSubprogram()->getUnit();
  if (name.starts_with("/") || place.getDirectory().empty() || unit == nullptr ||
      place.getDirectory() == unit->getDirectory()) {
    return name.str();
  }
  return (place.getDirectory() + "/" + name).str();
}

std::string inlined_calls(const llvm::DILocation* place) {
  std::string calls;
  if (place == nullptr) return calls;
  for (const llvm::DILocation* outer = place->getInlinedAt(); outer != nullptr;
       outer = outer->getInlinedAt()) {
    if (is_system_file(outer->getFilename())) continue;
    calls += (llvm::Twine(name_of(*outer->getScope()->getSubprogram())) + "\t" + file_name(*outer) +
              ":" + llvm::Twine(outer->getLine()) + ":" + llvm::Twine(outer->getColumn()) + "\n")
                 .str();
  }
  return calls;
}

std::string function_name(const llvm::Instruction& instruction, const llvm::DILocation* place) {
  if (place == nullptr) {
    const llvm::StringRef name = instruction.getFunction()->getName();
    return name.take_front(name.find(kCopySuffix)).str();
  }
  return name_of(*place->getScope()->getSubprogram());
}

bool is_volatile(const llvm::Instruction& instruction) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return (load != nullptr && load->isVolatile()) || (store != nullptr && store->isVolatile());
}

}  // namespace

SiteTable::SiteTable(llvm::Module& module) : module_(module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* const number = llvm::Type::getInt32Ty(context);
  llvm::Type* const pointer = llvm::PointerType::getUnqual(context);
  type_ = llvm::StructType::create({number, number, number, number, pointer, pointer, pointer,
                                    pointer, llvm::Type::getInt64Ty(context), pointer},
                                   "foretrace.site");
}

llvm::Constant* SiteTable::text(llvm::StringRef content) {
  llvm::Constant*& known = texts_[content];
  if (known == nullptr) {
    llvm::Constant* const bytes = llvm::ConstantDataArray::getString(module_.getContext(), content);
    auto* const global =
        new llvm::GlobalVariable(module_, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                 bytes, "__foretrace_text");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);  // the linker merges equal ones
    known = global;
  }
  return known;
}

SiteTable::Place SiteTable::place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* const place = shown_place(instruction.getDebugLoc());
  if (place == nullptr) return {};
  return {file_name(*place), place->getLine(), place->getColumn()};
}

llvm::Constant* SiteTable::new_loop() {
  llvm::Type* const byte = llvm::Type::getInt8Ty(module_.getContext());
  return new llvm::GlobalVariable(module_, byte, true, llvm::GlobalValue::PrivateLinkage,
                                  llvm::ConstantInt::get(byte, 0), "__foretrace_loop_place");
}

llvm::Constant* SiteTable::new_group(llvm::ArrayRef<GroupMember> members, uint64_t bytes) {
  llvm::LLVMContext& context = module_.getContext();
  llvm::Type* const number = llvm::Type::getInt32Ty(context);
  static_assert(ReadGroup::kMostBytes + runtime::kGranuleBytes / 2 <=
                uint64_t{runtime::ReadGroup::kMostGranules} * runtime::kGranuleBytes);
  llvm::SmallVector<uint64_t, 8> must_agree;
  for (const uint32_t begin : {0U, runtime::kGranuleBytes / 2}) {
    for (uint32_t granule = 0; granule < runtime::ReadGroup::kMostGranules; ++granule) {
      const auto bits = static_cast<uint16_t>(bytes << begin >> granule * runtime::kGranuleBytes);
      must_agree.push_back(bits == 0 ? 0 : runtime::FilterEntry::asked<false>(bits));
    }
  }
  llvm::SmallVector<llvm::Constant*, 8> parts;
  for (const GroupMember& member : members) {
    parts.push_back(
        llvm::ConstantStruct::getAnon({llvm::ConstantInt::get(number, member.offset),
                                       llvm::ConstantInt::get(number, member.bytes), member.site}));
  }
  auto* const type = llvm::ArrayType::get(parts.front()->getType(), parts.size());
  llvm::Constant* const value = llvm::ConstantStruct::getAnon(
      {llvm::ConstantInt::get(number, 0), llvm::ConstantInt::get(number, members.size()),
       llvm::ConstantDataArray::get(context, must_agree), llvm::ConstantArray::get(type, parts)});
  return new llvm::GlobalVariable(module_, value->getType(), false,
                                  llvm::GlobalValue::PrivateLinkage, value, "__foretrace_group");
}

llvm::Constant* SiteTable::site_of(const llvm::Instruction& instruction,
                                   const Description& description, const InLoop& in_loop) {
  const llvm::DILocation* const place = shown_place(instruction.getDebugLoc());
  const std::string file = place != nullptr ? file_name(*place) : "";
  const std::string function = function_name(instruction, place);
  const std::string inlined = inlined_calls(place);
  const uint32_t line = place != nullptr ? place->getLine() : 0;
  const uint32_t column = place != nullptr ? place->getColumn() : 0;
  const uint64_t flags = (is_volatile(instruction) ? runtime::kVolatileSite : 0) |
                         (in_loop.is_foreseen ? runtime::kForeseenSite : 0);
  const std::string key =
      (llvm::Twine(file) + "\n" + llvm::Twine(line) + ":" + llvm::Twine(column) + "\n" + function +
       "\n" + description.what + "\n" + inlined + "\n" + llvm::Twine(flags))
          .str();
  llvm::Constant*& known = sites_[{key, in_loop.loop}];
  if (known == nullptr) {
    llvm::Type* const number = llvm::Type::getInt32Ty(module_.getContext());
    const auto count = [&](uint64_t value) { return llvm::ConstantInt::get(number, value); };
    llvm::Constant* const value = llvm::ConstantStruct::get(
        type_, {count(0), count(line), count(column),
                count(description.element < UINT32_MAX ? description.element : 0), text(file),
                text(function), text(description.what), text(inlined),
                llvm::ConstantInt::get(llvm::Type::getInt64Ty(module_.getContext()), flags),
                in_loop.loop != nullptr ? in_loop.loop
                                        : llvm::ConstantPointerNull::get(
                                              llvm::PointerType::getUnqual(module_.getContext()))});
    known = new llvm::GlobalVariable(module_, type_, false, llvm::GlobalValue::PrivateLinkage,
                                     value, "__foretrace_site");
  }
  return known;
}

}  // namespace foretrace::instrument
