#include "instrument/range_order.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

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
    members_.push_back(access);
    has_ranges_ |= all_[access].range.has_value();
  }
  void add_call(llvm::CallBase& call) {
    if (may_be_recorded(call)) calls_.push_back(&call);
  }

  Comparison keep(llvm::function_ref<bool(const llvm::Instruction& read)> steers) {
    if (!has_ranges_) return {};
    if (members_.size() > kMostMembers) return give_up();
    find_clashes();
    make_ranges_of_one_place(steers);
    while (llvm::any_of(members_, [&](size_t member) { return take_back(member); })) {
    }
    Comparison comparison = what_to_compare();
    if (comparison.ranges.size() + comparison.pointers.size() > kMostToCompare) return give_up();
    if (!comparison.is_empty()) note_if_apart();
    return comparison;
  }

 private:
  static constexpr size_t kMostMembers = 200;
  static constexpr size_t kMostToCompare = 16;

  enum class Meeting {
    in_order,  // no round reads what one before it wrote, or it itself, or that is left out
    left_out,  // the same by what has to be done when the loop begins
    unknown,
    lost,
  };

  // A read and a write that may meet.
  struct Clash {
    size_t read;
    size_t write;
  };

  void find_clashes() {
    for (const size_t read : members_) {
      if (all_[read].write) continue;
      for (const size_t write : members_) {
        if (!all_[write].write || !(all_[read].range || all_[write].range)) continue;
        if (ranges_.may_meet(*all_[read].instruction, *all_[write].instruction)) {
          clashes_.push_back({read, write});
        }
      }
    }
  }

  void make_ranges_of_one_place(llvm::function_ref<bool(const llvm::Instruction& read)> steers) {
    for (const Clash& clash : clashes_) {
      Access& read = all_[clash.read];
      if (!read.range && all_[clash.write].range && !steers(*read.instruction)) {
        read.range = ranges_.range_of_one_place(*read.instruction, read.pointer, read.bytes);
      }
    }
    // What is one place may meet other writes than ranges.
    clashes_.clear();
    find_clashes();
  }

  Comparison give_up() {
    for (const size_t member : members_) all_[member].range.reset();
    return {};
  }

  // Whether an access was a range that must not be one.
  bool take_back(size_t member) {
    Access& access = all_[member];
    if (!access.range) return false;
    size_t left_out = 0;
    const bool is_lost = llvm::any_of(clashes_, [&](const Clash& clash) {
      if (clash.read != member && clash.write != member) return false;
      if (!all_[clash.read].range || !all_[clash.write].range) return !pointer_of(clash);
      if (access.write) return false;  // reads give way
      constexpr size_t kMostLeftOut = 8;
      const Meeting meeting = meeting_of(clash);
      if (meeting == Meeting::left_out) ++left_out;
      return meeting == Meeting::lost || left_out > kMostLeftOut;
    });
    if (is_lost || meets_call(access)) access.range.reset();
    return !access.range;
  }

  Comparison what_to_compare() {
    Comparison found;
    for (const Clash& clash : clashes_) {
      const Access& read = all_[clash.read];
      const Access& write = all_[clash.write];
      if (read.range && write.range) {
        if (meeting_of(clash) == Meeting::unknown) {
          found.ranges.push_back({read.instruction, write.instruction});
        }
      } else if (read.range || write.range) {
        const RangeAndPointer both = *pointer_of(clash);
        if (!llvm::is_contained(found.pointers, both)) found.pointers.push_back(both);
      }
    }
    return found;
  }

  // Of a range and a single access, if that starts from a pointer which is there before the loop,
  // and not the same as the range.
  std::optional<RangeAndPointer> pointer_of(const Clash& clash) {
    const bool reads_range = all_[clash.read].range.has_value();
    const llvm::Instruction& range = *all_[reads_range ? clash.read : clash.write].instruction;
    const llvm::Instruction& single = *all_[reads_range ? clash.write : clash.read].instruction;
    const llvm::Loop& loop = *ranges_.loop_of(range);
    llvm::Value* const pointer = ranges_.base_before(single, loop);
    if (pointer == nullptr || pointer == ranges_.base_before(range, loop)) return std::nullopt;
    return RangeAndPointer{&range, pointer};
  }

  bool meets_call(const Access& access) const {
    return llvm::any_of(calls_, [&](const llvm::CallBase* call) {
      const llvm::ModRefInfo what = ranges_.what_happens(*call, access.pointer);
      return access.write ? llvm::isRefSet(what) : llvm::isModSet(what);
    });
  }

  // Whether elements of one are the same as elements of the other, or share no byte with them.
  bool are_whole_apart(const Access& one, const Access& other) {
    if (const auto distance = ranges_.distance(*one.range->first, *other.range->first)) {
      return *distance % static_cast<int64_t>(one.bytes) == 0;
    }
    return llvm::all_of(llvm::ArrayRef{&one, &other}, [](const Access* access) {
      return llvm::getLoadStoreAlignment(access->instruction).value() % access->bytes == 0;
    });
  }

  // Of two ranges.
  Meeting meeting_of(const Clash& clash) {
    const Access& read = all_[clash.read];
    const Access& write = all_[clash.write];
    if (read.range->is_side_by_side() && write.range->is_side_by_side() &&
        read.bytes == write.bytes && read.range->backwards == write.range->backwards &&
        are_whole_apart(read, write)) {
      return Meeting::left_out;
    }
    const LoopRanges::Course reads = ranges_.course_of(*read.range, read.bytes);
    const LoopRanges::Course writes = ranges_.course_of(*write.range, write.bytes);
    const uint64_t soonest = ranges_.is_first(*write.instruction, *read.instruction) ? 0 : 1;
    const std::optional<int64_t> first = ranges_.distance_after(writes, reads, soonest);
    const std::optional<int64_t> second = ranges_.distance_after(writes, reads, soonest + 1);
    const Window window = {-static_cast<int64_t>(read.bytes), static_cast<int64_t>(write.bytes)};
    if (first && second) {
      return window.is_reached(*first, *second - *first) ? Meeting::lost : Meeting::in_order;
    }
    // Each round reads and then writes the same.
    const bool is_update = soonest == 1 && reads.first == writes.first &&
                           reads.step == writes.step && read.bytes == write.bytes;
    return is_update ? Meeting::in_order : Meeting::unknown;
  }

  // Those that are looked at one by one are not ranges of a loop around, either.
  void note_if_apart() {
    for (const size_t member : members_) {
      Access& access = all_[member];
      if (!access.range) continue;
      access.if_apart = true;
      access.range = in_own_loop(*access.range, *ranges_.loop_of(*access.instruction));
    }
  }

  std::vector<Access>& all_;
  LoopRanges& ranges_;
  std::vector<size_t> members_;
  std::vector<llvm::CallBase*> calls_;
  std::vector<Clash> clashes_;
  bool has_ranges_ = false;
};

}  // namespace

RangesToCompare keep_order_of_ranges(
    std::vector<Access>& accesses, llvm::ArrayRef<llvm::CallBase*> calls, LoopRanges& ranges,
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
  RangesToCompare to_compare;
  for (auto& [loop, order] : orders) {
    Comparison comparison = order.keep(steers);
    if (!comparison.is_empty()) to_compare[loop] = std::move(comparison);
  }
  return to_compare;
}

}  // namespace foretrace::instrument
