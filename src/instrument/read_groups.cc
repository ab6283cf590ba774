#include "instrument/read_groups.h"

#include <algorithm>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

namespace foretrace::instrument {
namespace {

class Grouper {
 public:
  explicit Grouper(const std::vector<Access>& accesses) : accesses_(accesses) {}

  std::vector<ReadGroup> group() {
    for (size_t i = 0; i < accesses_.size(); ++i) {
      const Access& access = accesses_[i];
      const bool is_behind = i > 0 && access.stretch == accesses_[i - 1].stretch;
      // Reads in front of a write stay there.
      if (!is_behind || access.write || access.range) close();
      if (!access.write && !access.range) add(i);
    }
    close();
    return std::move(groups_);
  }

 private:
  void add(size_t index) {
    const Access& access = accesses_[index];
    const AccessPlace place = place_of(access);
    close_those_before(place.base);
    if (!may_be_member(access)) return;
    std::vector<Member>& members = open_[place.base];
    if (!members.empty() && !fits(members, place.offset, access.bytes)) close(members);
    members.push_back({index, place.offset});
  }

  // What was read may be where the next one reads.
  void close_those_before(const llvm::Value* base) {
    const auto* const made = llvm::dyn_cast<llvm::Instruction>(base);
    for (auto& [other, members] : open_) {
      if (made == nullptr || members.empty()) continue;
      const llvm::Instruction* const first = accesses_[members.front().index].instruction;
      if (made->getParent() == first->getParent() && first->comesBefore(made)) close(members);
    }
  }

  // One of a size that has a hook, for which nothing better is known.
  static bool may_be_member(const Access& access) {
    return !access.steers && !access.in_loop && !access.covered &&
           llvm::isPowerOf2_64(access.bytes) && access.bytes <= 16 &&
           !llvm::cast<llvm::LoadInst>(access.instruction)->isVolatile();
  }

  struct Member {
    size_t index;
    int64_t offset;
  };

  bool fits(const std::vector<Member>& members, int64_t offset, uint64_t bytes) const {
    int64_t first = offset;
    int64_t end = offset + static_cast<int64_t>(bytes);
    for (const Member& member : members) {
      first = std::min(first, member.offset);
      end = std::max(end, end_of(member));
    }
    return end - first <= static_cast<int64_t>(ReadGroup::kMostBytes);
  }

  int64_t end_of(const Member& member) const {
    return member.offset + static_cast<int64_t>(accesses_[member.index].bytes);
  }

  void close() {
    for (auto& [base, members] : open_) close(members);
    open_.clear();
  }

  void close(std::vector<Member>& members) {
    if (members.size() > 1) {
      ReadGroup group = {{}, nullptr, INT64_MAX, 0};
      for (const Member& member : members) group.offset = std::min(group.offset, member.offset);
      for (const Member& member : members) {
        group.members.push_back(member.index);
        const uint32_t bits = (uint32_t{1} << accesses_[member.index].bytes) - 1;
        group.bytes |= bits << (member.offset - group.offset);
      }
      group.base = const_cast<llvm::Value*>(place_of(accesses_[members.front().index]).base);
      groups_.push_back(std::move(group));
    }
    members.clear();
  }

  const std::vector<Access>& accesses_;
  llvm::MapVector<const llvm::Value*, std::vector<Member>> open_;
  std::vector<ReadGroup> groups_;
};

}  // namespace

std::vector<ReadGroup> group_reads(const std::vector<Access>& accesses) {
  return Grouper(accesses).group();
}

}  // namespace foretrace::instrument
