#include "instrument/section_hooks.h"

#include <vector>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "instrument/names.h"
#include "instrument/quiet_hooks.h"

namespace foretrace::instrument {
namespace {

struct SectionAccess {
  llvm::Instruction* instruction;
  llvm::Value* pointer;
  Description description;
};

void insert_on_both_sides(const SectionAccess& access, const Hooks& hooks, SiteTable& sites) {
  llvm::Constant* const site = sites.site_of(*access.instruction, access.description, {});
  llvm::IRBuilder<> builder(access.instruction);
  llvm::Value* const arguments[] = {
      access.pointer, builder.getInt32(llvm::isa<llvm::StoreInst>(access.instruction) ? 1 : 0),
      site};
  create_hook_call(builder, hooks.section_front(), arguments);
  builder.SetInsertPoint(access.instruction->getNextNode());
  builder.SetCurrentDebugLocation(access.instruction->getDebugLoc());
  create_hook_call(builder, hooks.section_behind(), arguments);
}

// Sections end with their function. An exception that nothing in the function
// looks at is seen by the frames of later hooks.
void insert_where_left(llvm::Function& function, const Hooks& hooks) {
  for (llvm::BasicBlock& block : function) {
    llvm::Instruction* const end = block.getTerminator();
    if (!llvm::isa<llvm::ReturnInst>(end) && !llvm::isa<llvm::ResumeInst>(end)) continue;
    llvm::Instruction* const tail = block.getTerminatingMustTailCall();
    llvm::IRBuilder<> builder(tail != nullptr ? tail : end);
    create_hook_call(builder, hooks.section_left(), {});
  }
}

}  // namespace

void insert_section_hooks(llvm::Function& function, const SectionPoints& points, const Hooks& hooks,
                          const Describer& describer, const PrivateMemory& private_memory,
                          SiteTable& sites) {
  std::vector<SectionAccess> chosen;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr || is_atomic(instruction) || !private_memory.may_be_shared(pointer)) {
      continue;
    }
    const SiteTable::Place place = SiteTable::place_of(instruction);
    Description description = describer.describe_noted(instruction, pointer);
    if (!points.contain(place.file, place.line, place.column, description.what)) continue;
    chosen.push_back({&instruction, pointer, std::move(description)});
  }
  for (const SectionAccess& access : chosen) insert_on_both_sides(access, hooks, sites);
  if (!chosen.empty()) insert_where_left(function, hooks);
}

}  // namespace foretrace::instrument
