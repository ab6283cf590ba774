#include "instrument/update_pairs.h"

#include <algorithm>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

namespace foretrace::instrument {
namespace {

constexpr size_t kMostBetween = 8;

bool is_same_place(const Access& one, const Access& other) {
  return one.pointer == other.pointer && one.offset == other.offset && one.bytes == other.bytes;
}

llvm::MemoryLocation location_of(const Access& access) {
  return access.offset == 0
             ? llvm::MemoryLocation(access.pointer, llvm::LocationSize::precise(access.bytes))
             : llvm::MemoryLocation::getBeforeOrAfter(access.pointer);
}

// Whether what an instruction reads may be written between another one of its block and it.
bool is_written_between(const llvm::Instruction& one, const llvm::Instruction& read,
                        llvm::AAResults& aliases) {
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&read);
  if (load == nullptr) return true;
  const llvm::MemoryLocation place = llvm::MemoryLocation::get(load);
  return std::any_of(one.getIterator(), read.getIterator(), [&](const llvm::Instruction& between) {
    return between.mayWriteToMemory() && llvm::isModSet(aliases.getModRefInfo(&between, place));
  });
}

// Whether a value may depend on what an access of its block has read: on the way there is that,
// something that was read from memory and may have been written there meanwhile, or too much.
bool may_depend_on(const llvm::Value* value, const Access& read, llvm::AAResults& aliases) {
  constexpr size_t kMostParts = 32;
  const llvm::Instruction& first = read.first != nullptr ? *read.first : *read.instruction;
  llvm::SmallVector<const llvm::Value*, 8> open = {value};
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen;
  while (!open.empty()) {
    const auto* const part = llvm::dyn_cast<llvm::Instruction>(open.pop_back_val());
    if (part == &first || part == read.instruction) return true;
    if (part == nullptr || part->getParent() != first.getParent() ||
        llvm::isa<llvm::PHINode>(part) || !first.comesBefore(part) || !seen.insert(part).second) {
      continue;
    }
    if (seen.size() > kMostParts) return true;
    // A part of what joined reads read, or a read of the same that is not recorded.
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(part);
    if (load != nullptr && !aliases.isNoAlias(llvm::MemoryLocation::get(load), location_of(read))) {
      return true;
    }
    if (part->mayReadFromMemory() && is_written_between(first, *part, aliases)) return true;
    open.append(part->value_op_begin(), part->value_op_end());
  }
  return false;
}

// As numbers and structures of two are: others of the same size do not overlap with it by parts.
bool is_aligned(const Access& access) {
  return llvm::getLoadStoreAlignment(access.instruction).value() * 2 >= access.bytes;
}

class Finder {
 public:
  Finder(std::vector<Access>& accesses, const Hooks& hooks, llvm::AAResults& aliases)
      : accesses_(accesses), hooks_(hooks), aliases_(aliases) {}

  void find() {
    for (size_t i = 0; i < accesses_.size(); ++i) {
      if (accesses_[i].write && may_be_half(accesses_[i])) find_read_of(i);
    }
  }

 private:
  bool may_be_half(const Access& access) const {
    return !access.range && !access.steers && !access.covered && !access.updates &&
           !access.instruction->isVolatile() && hooks_.update(access.bytes);
  }

  void find_read_of(size_t write) {
    for (size_t i = write; i > 0 && write - i <= kMostBetween; --i) {
      Access& read = accesses_[i - 1];
      if (read.stretch != accesses_[write].stretch) return;
      if (!is_same_place(read, accesses_[write])) continue;
      if (read.write || read.in_pair || !may_be_half(read) || !may_wait(i - 1, write)) return;
      read.in_pair = true;
      accesses_[write].pair = i - 1;
      return;
    }
  }

  // Whether the read may be recorded with the write.
  bool may_wait(size_t read, size_t write) {
    for (size_t i = read + 1; i < write; ++i) {
      const Access& between = accesses_[i];
      if (may_depend_on(between.pointer, accesses_[read], aliases_)) return false;
      if (between.write && !may_come_first(between, accesses_[read])) return false;
    }
    return true;
  }

  // Whether another write may be recorded in front of the read.
  bool may_come_first(const Access& write, const Access& read) {
    const llvm::AliasResult result = aliases_.alias(location_of(write), location_of(read));
    if (result == llvm::AliasResult::NoAlias) return true;
    const bool was_read = write.pair || write.updates;
    return result == llvm::AliasResult::MayAlias && was_read && write.bytes == read.bytes &&
           is_aligned(write) && is_aligned(read);
  }

  std::vector<Access>& accesses_;
  const Hooks& hooks_;
  llvm::AAResults& aliases_;
};

}  // namespace

void find_update_pairs(std::vector<Access>& accesses, const Hooks& hooks,
                       llvm::AAResults& aliases) {
  Finder(accesses, hooks, aliases).find();
}

}  // namespace foretrace::instrument
