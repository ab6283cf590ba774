#include "instrument/adjacent.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace foretrace::instrument {
namespace {

struct Member : AccessPlace {
  size_t index;  // among the accesses
};

class Joiner {
 public:
  Joiner(std::vector<Access>& accesses, llvm::AAResults& aliases)
      : accesses_(accesses), aliases_(aliases), gone_(accesses.size(), false) {}

  void join() {
    for (size_t first = 0, end = 0; first < accesses_.size(); first = end) {
      while (end < accesses_.size() && accesses_[end].stretch == accesses_[first].stretch) ++end;
      join_stretch(first, end);
    }
    size_t index = 0;
    std::erase_if(accesses_, [&](const Access&) { return gone_[index++]; });
  }

 private:
  void join_stretch(size_t first, size_t end) {
    using Key = std::tuple<bool, const llvm::Constant*, uint64_t, const llvm::Value*>;
    std::map<Key, std::vector<Member>> groups;
    for (size_t i = first; i < end; ++i) {
      const Access& access = accesses_[i];
      if (access.range || access.steers || access.instruction->isVolatile()) continue;
      const Member member = member_at(i);
      groups[{access.write, access.site, access.bytes, member.base}].push_back(member);
    }
    for (auto& [key, members] : groups) join_group(members);
  }

  Member member_at(size_t index) const { return {place_of(accesses_[index]), index}; }

  void join_group(std::vector<Member>& members) {
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return std::tie(a.offset, a.index) < std::tie(b.offset, b.index);
    });
    const auto bytes = static_cast<int64_t>(accesses_[members.front().index].bytes);
    for (size_t first = 0, end = 1; first < members.size(); first = end++) {
      while (end < members.size() && members[end].offset == members[end - 1].offset + bytes) ++end;
      if (end - first > 1) join_run(std::span(members).subspan(first, end - first));
    }
  }

  void join_run(std::span<const Member> run) {
    size_t low = run.front().index;
    size_t high = low;
    for (const Member& member : run) {
      low = std::min(low, member.index);
      high = std::max(high, member.index);
    }
    if (clashes_between(run, low, high)) return;
    for (const Member& member : run) gone_[member.index] = true;
    Access& joined = accesses_[accesses_[low].write ? low : high];
    joined.first = accesses_[low].instruction;
    gone_[accesses_[low].write ? low : high] = false;
    joined.pointer = const_cast<llvm::Value*>(run.front().base);
    joined.offset = run.front().offset;
    joined.bytes *= run.size();
  }

  // Whether between them is an access that must not change places with one of them.
  bool clashes_between(std::span<const Member> run, size_t low, size_t high) const {
    const Access& any = accesses_[low];
    // What comes behind a read may be at an address that was read.
    if (!any.write) return high - low + 1 != run.size();
    for (size_t i = low + 1; i < high; ++i) {
      const Access& other = accesses_[i];
      if (other.write) continue;
      const Member there = member_at(i);
      if (there.base == run.front().base) {
        const int64_t end = run.back().offset + static_cast<int64_t>(any.bytes);
        if (there.offset < end &&
            run.front().offset < there.offset + static_cast<int64_t>(other.bytes)) {
          return true;
        }
      } else if (!aliases_.isNoAlias(
                     llvm::MemoryLocation(other.pointer, llvm::LocationSize::precise(other.bytes)),
                     llvm::MemoryLocation::getBeforeOrAfter(run.front().base))) {
        return true;
      }
    }
    return false;
  }

  std::vector<Access>& accesses_;
  llvm::AAResults& aliases_;
  std::vector<bool> gone_;
};

}  // namespace

void join_adjacent(std::vector<Access>& accesses, llvm::AAResults& aliases) {
  Joiner(accesses, aliases).join();
}

}  // namespace foretrace::instrument
