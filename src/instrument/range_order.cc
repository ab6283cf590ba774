#include "instrument/range_order.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>

#include "instrument/library_calls.h"

namespace foretrace::instrument {
namespace {

// Distances between two bounds.
struct Window {
  int64_t low;
  int64_t high;

  bool has(int64_t distance) const { return low < distance && distance < high; }
  // Whether one that becomes larger by so much again and again will be there, or is.
  bool is_reached(int64_t distance, int64_t step) const {
    if (has(distance)) return true;
    if (step > 0 && distance <= low) return has(distance + ((low - distance) / step + 1) * step);
    if (step < 0 && distance >= high) return has(distance + ((distance - high) / -step + 1) * step);
    return false;
  }
};

// The accesses of an innermost loop.
class Order {
 public:
  Order(std::vector<Access>& accesses, LoopRanges& ranges) : all_(accesses), ranges_(ranges) {}

  void add(size_t access) {
    members_.push_back({access, ranges_.base_of(*all_[access].pointer)});
    has_ranges_ |= all_[access].range.has_value();
  }
  void add_call(llvm::CallBase& call) {
    for (const LibraryAccess& access : library_accesses(call)) {
      by_calls_.push_back({access.pointer, ranges_.base_of(*access.pointer), access.is_write()});
    }
  }

  void keep(llvm::function_ref<bool(const llvm::Instruction& read)> steers) {
    if (!has_ranges_) return;
    for (const Member& member : members_) {
      Access& read = access_of(member);
      if (!read.write && !read.range && meets_range_of_writes(member) &&
          !steers(*read.instruction)) {
        read.range = ranges_.range_of_one_place(*read.instruction, read.pointer, read.bytes);
      }
    }
    while (llvm::any_of(members_, [&](const Member& member) { return take_back(member); })) {
    }
  }

 private:
  struct Member {
    size_t access;
    const llvm::SCEV* base;
  };
  struct ByCall {
    const llvm::Value* pointer;
    const llvm::SCEV* base;
    bool write;
  };

  Access& access_of(const Member& member) const { return all_[member.access]; }

  bool meet(const Member& one, const Member& other) const {
    return one.base == other.base &&
           ranges_.may_meet(access_of(one).pointer, access_of(other).pointer);
  }

  bool meets_range_of_writes(const Member& read) const {
    return llvm::any_of(members_, [&](const Member& other) {
      const Access& write = access_of(other);
      return write.write && write.range && meet(read, other);
    });
  }

  // Whether an access was a range that must not be one.
  bool take_back(const Member& member) {
    Access& access = access_of(member);
    if (!access.range) return false;
    const bool clashes = llvm::any_of(members_,
                                      [&](const Member& other) {
                                        return access_of(other).write != access.write &&
                                               meet(member, other) &&
                                               !is_order_kept(access, access_of(other));
                                      }) ||
                         llvm::any_of(by_calls_, [&](const ByCall& other) {
                           return other.write != access.write && other.base == member.base &&
                                  ranges_.may_meet(other.pointer, access.pointer);
                         });
    if (clashes) access.range.reset();
    return clashes;
  }

  // Reads give way to writes that are ranges.
  bool is_order_kept(const Access& access, const Access& other) {
    if (!other.range) return false;
    return access.write || !may_read_written(access, other);
  }

  // Whether a round may read what one before it wrote, or what it wrote itself, and that is not
  // left out when the loop begins (RangeHooks::leave_out_written()).
  bool may_read_written(const Access& read, const Access& write) {
    if (read.range->is_side_by_side() && write.range->is_side_by_side() &&
        read.bytes == write.bytes && read.range->backwards == write.range->backwards) {
      return false;
    }
    const LoopRanges::Course reads = ranges_.course_of(*read.range, read.bytes);
    const LoopRanges::Course writes = ranges_.course_of(*write.range, write.bytes);
    if (reads.step != writes.step) return true;
    const uint64_t soonest = ranges_.is_first(*write.instruction, *read.instruction) ? 0 : 1;
    const Window window = {-static_cast<int64_t>(read.bytes), static_cast<int64_t>(write.bytes)};
    const auto distance = [&](uint64_t rounds) {
      return ranges_.distance_after(writes, reads, rounds);
    };
    const std::optional<int64_t> first = distance(soonest);
    const std::optional<int64_t> second = distance(soonest + 1);
    if (first && second) return window.is_reached(*first, *second - *first);
    // Steps that are known only when the loop begins: it may be some of them.
    constexpr uint64_t kRounds = 4;
    for (uint64_t rounds = soonest; rounds < soonest + kRounds; ++rounds) {
      if (const std::optional<int64_t> known = distance(rounds); known && window.has(*known)) {
        return true;
      }
    }
    return false;
  }

  std::vector<Access>& all_;
  LoopRanges& ranges_;
  std::vector<Member> members_;
  std::vector<ByCall> by_calls_;
  bool has_ranges_ = false;
};

}  // namespace

void keep_order_of_ranges(std::vector<Access>& accesses, llvm::ArrayRef<llvm::CallBase*> calls,
                          LoopRanges& ranges,
                          llvm::function_ref<bool(const llvm::Instruction& read)> steers) {
  llvm::MapVector<const llvm::Loop*, Order> orders;
  for (size_t i = 0; i < accesses.size(); ++i) {
    if (const llvm::Loop* const loop = ranges.loop_of(*accesses[i].instruction)) {
      orders.try_emplace(loop, accesses, ranges).first->second.add(i);
    }
  }
  for (llvm::CallBase* const call : calls) {
    const auto order = orders.find(ranges.loop_of(*call));
    if (order != orders.end()) order->second.add_call(*call);
  }
  for (auto& [loop, order] : orders) order.keep(steers);
}

}  // namespace foretrace::instrument
