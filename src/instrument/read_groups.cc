#include "instrument/read_groups.h"

#include <algorithm>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include "instrument/as_number.h"

namespace foretrace::instrument {
namespace {

uint64_t bits_of(const Access& access, int64_t offset) {
  const uint64_t bits = (uint64_t{1} << access.bytes) - 1;
  return bits << offset;
}

// What is read in a row; some of these groups have one member.
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
    return !access.steers && !access.in_loop && !access.covered && !access.in_pair &&
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
    if (members.empty()) return;
    ReadGroup group = {{}, {}, nullptr, INT64_MAX, 0};
    for (const Member& member : members) group.offset = std::min(group.offset, member.offset);
    for (const Member& member : members) {
      group.members.push_back(member.index);
      group.bytes |= bits_of(accesses_[member.index], member.offset - group.offset);
    }
    group.base = const_cast<llvm::Value*>(place_of(accesses_[members.front().index]).base);
    groups_.push_back(std::move(group));
    members.clear();
  }

  const std::vector<Access>& accesses_;
  llvm::MapVector<const llvm::Value*, std::vector<Member>> open_;
  std::vector<ReadGroup> groups_;
};

// Makes groups on the same way one, of which some have one member only.
class Joiner {
 public:
  Joiner(const std::vector<Access>& accesses, const SureWays& ways)
      : accesses_(accesses), ways_(ways) {}

  std::vector<ReadGroup> join(std::vector<ReadGroup> groups) {
    llvm::sort(groups, [this](const ReadGroup& one, const ReadGroup& other) {
      return place_of_read(one.members.front()).step < place_of_read(other.members.front()).step;
    });
    for (ReadGroup& group : groups) add(std::move(group));
    return std::move(joined_);
  }

 private:
  using Key = std::pair<const llvm::Value*, uint32_t>;  // the base, and the way

  void add(ReadGroup&& group) {
    const auto known = last_.find(Key(group.base, place_of_read(group.members.front()).way));
    if (known != last_.end() && take(joined_[known->second], group)) return;
    last_[Key(group.base, place_of_read(group.members.back()).way)] = joined_.size();
    joined_.push_back(std::move(group));
  }

  // False: they are too far from each other, too many, or not all on one way.
  bool take(ReadGroup& group, const ReadGroup& later) const {
    constexpr size_t kMostLater = 8;
    const int64_t first = std::min(group.offset, later.offset);
    if (end_of(group) - first > kMost || end_of(later) - first > kMost ||
        group.later.size() + later.members.size() > kMostLater ||
        !llvm::all_of(later.members, [&](size_t member) {
          return may_be_early(member) &&
                 place_of_read(member).way == place_of_read(later.members.front()).way;
        })) {
      return false;
    }
    group.bytes = group.bytes << (group.offset - first) | later.bytes << (later.offset - first);
    group.offset = first;
    group.later.insert(group.later.end(), later.members.begin(), later.members.end());
    return true;
  }

  // One load that can be made twice, and compared.
  bool may_be_early(size_t read) const {
    const llvm::LoadInst& once = load(read);
    return once.getDataLayout().getTypeStoreSize(once.getType()) == accesses_[read].bytes &&
           has_number(once);
  }

  static constexpr auto kMost = static_cast<int64_t>(ReadGroup::kMostBytes);
  static int64_t end_of(const ReadGroup& group) {
    return group.offset + static_cast<int64_t>(llvm::Log2_64(group.bytes)) + 1;
  }
  const llvm::LoadInst& load(size_t read) const {
    return llvm::cast<llvm::LoadInst>(*accesses_[read].instruction);
  }
  SureWays::Place place_of_read(size_t read) const { return ways_.place_of(load(read)); }

  const std::vector<Access>& accesses_;
  const SureWays& ways_;
  std::vector<ReadGroup> joined_;
  llvm::DenseMap<Key, size_t> last_;
};

}  // namespace

std::vector<ReadGroup> group_reads(const std::vector<Access>& accesses, const SureWays& ways) {
  std::vector<ReadGroup> groups = Joiner(accesses, ways).join(Grouper(accesses).group());
  std::erase_if(groups, [](const ReadGroup& group) {
    return group.members.size() + group.later.size() == 1;
  });
  return groups;
}

}  // namespace foretrace::instrument
