#include "instrument/range_hooks.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>

#include "instrument/library_calls.h"
#include "instrument/strided_parts.h"
#include "runtime/active.h"

namespace foretrace::instrument {
namespace {

// Where the ranges of a loop are recorded.
llvm::Instruction* place_for(const llvm::Loop& loop, bool behind) {
  if (behind) return &*loop.getExitBlock()->getFirstInsertionPt();
  return loop.getLoopPreheader()->getTerminator();
}

}  // namespace

void RangeHooks::insert() {
  note_busy_loops();
  std::vector<Row> writes = rows(true);
  for (const Row& read : rows(false)) insert(read, find_known(read, writes));
  for (const Row& write : writes) insert(write, write.is_known);
}

void RangeHooks::note_busy_loops() {
  const auto make_busy = [&](const llvm::Loop* loop) {
    for (; loop != nullptr; loop = loop->getParentLoop()) busy_.insert(loop);
  };
  for (const Access& access : accesses_) {
    if (!access.range || access.write) {
      make_busy(ranges_.loop_of(*access.instruction));
    } else {
      make_busy(access.range->loop->getParentLoop());
    }
  }
  for (llvm::CallBase* call : calls_) {
    if (may_be_recorded(*call)) make_busy(ranges_.loop_of(*call));
  }
}

// All of the function's reads, or writes, that are ranges.
std::vector<RangeHooks::Row> RangeHooks::rows(bool write) {
  std::vector<Row> rows;
  const auto add = [&](std::vector<size_t> members, uint64_t bytes) {
    const Access& first = accesses_[members.front()];
    const bool behind = !write && !busy_.contains(first.range->loop);
    rows.push_back({std::move(members), static_cast<uint32_t>(bytes), behind});
  };
  for (size_t i = 0; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (access.write == write && access.range && access.range->is_side_by_side()) {
      add({i}, access.bytes);
    }
  }
  for (StridedParts& parts : join_strided(accesses_, write, ranges_)) {
    add(std::move(parts.members), parts.bytes);
  }
  return rows;
}

bool RangeHooks::is_same(const Row& one, const Row& other) const {
  const LoopRange& a = *first_of(one).range;
  const LoopRange& b = *first_of(other).range;
  return one.bytes == other.bytes && a.loop == b.loop && a.first == b.first && a.bytes == b.bytes &&
         a.step == b.step && a.rounds == b.rounds && a.guards == b.guards &&
         ranges_.loop_of(*first_of(one).instruction) ==
             ranges_.loop_of(*first_of(other).instruction);
}

llvm::Value* RangeHooks::find_known(const Row& read, std::vector<Row>& writes) {
  const auto write = llvm::find_if(writes, [&](const Row& row) { return is_same(row, read); });
  if (read.behind || write == writes.end() || write->behind) return nullptr;
  if (write->is_known != nullptr) return write->is_known;
  const LoopRange& range = *first_of(*write).range;
  const LoopRanges::Place place = ranges_.compute(range);
  llvm::IRBuilder<> builder(place_for(*range.loop, false));
  builder.SetCurrentDebugLocation(first_of(read).instruction->getDebugLoc());
  if (range.is_side_by_side()) {
    write->is_known = &quiet_hooks_.call(builder, hooks_.is_range_written(),
                                         {place.first, place.bytes}, runtime::kRecording);
  } else {
    write->is_known = &quiet_hooks_.call(
        builder, hooks_.is_strided_written(),
        {place.first, place.step, place.rounds, builder.getInt32(read.bytes)}, runtime::kRecording);
  }
  return write->is_known;
}

// For the recorder, and where a loop around its own repeats it, once more in each round for those
// who steer threads.
void RangeHooks::insert(const Row& row, llvm::Value* is_known) {
  const Access& first = first_of(row);
  LoopRanges::Place place = ranges_.compute(*first.range);
  if (!first.write && first.range->is_side_by_side()) leave_out_written(place, first);
  const llvm::Loop* const own = ranges_.loop_of(*first.instruction);
  if (first.if_apart) {
    llvm::IRBuilder<> builder(place_for(*own, false));
    llvm::Value* const single = are_single(first);
    is_known = is_known != nullptr ? builder.CreateOr(is_known, single) : single;
  }
  if (first.range->loop == own) return insert_at(row, *first.range, place, std::nullopt, is_known);
  insert_at(row, *first.range, place, runtime::kRecording, is_known);
  const LoopRange in_round = in_own_loop(*first.range, *own);
  insert_at(row, in_round, ranges_.compute(in_round), runtime::kSteering, nullptr);
}

void RangeHooks::insert_at(const Row& row, const LoopRange& range, const LoopRanges::Place& place,
                           std::optional<uint8_t> when, llvm::Value* is_known) {
  const Access& first = first_of(row);
  llvm::IRBuilder<> builder(place_for(*range.loop, row.behind));
  builder.SetCurrentDebugLocation(first.instruction->getDebugLoc());
  if (range.is_side_by_side()) {
    quiet_hooks_.call(builder, hooks_.range(first.write), {place.first, place.bytes, site_of(row)},
                      when, is_known);
    return;
  }
  const bool is_one = row.members.size() == 1;
  quiet_hooks_.call(
      builder, is_one ? hooks_.strided(first.write) : hooks_.strided_parts(first.write),
      {place.first, place.step, place.rounds, builder.getInt32(row.bytes), site_of(row)}, when,
      is_known);
}

void RangeHooks::leave_out_written(LoopRanges::Place& place, const Access& read) {
  const llvm::Loop* const loop = ranges_.loop_of(*read.instruction);
  for (const Access& other : accesses_) {
    if (other.write && other.range && other.range->is_side_by_side() && other.bytes == read.bytes &&
        other.range->backwards == read.range->backwards &&
        ranges_.loop_of(*other.instruction) == loop &&
        ranges_.may_meet(*read.instruction, *other.instruction)) {
      ranges_.leave_out_written(place, *read.range, *other.range,
                                ranges_.is_first(*other.instruction, *read.instruction));
    }
  }
}

RangeHooks::Extent RangeHooks::extent_of(const Access& access, llvm::IRBuilder<>& builder) {
  const LoopRanges::Place place = ranges_.compute(*access.range);
  llvm::Type* const word = builder.getInt64Ty();
  llvm::Value* const first = builder.CreatePtrToInt(place.first, word);
  if (access.range->is_side_by_side()) return {first, builder.CreateAdd(first, place.bytes)};
  llvm::Value* const others = builder.CreateSub(place.rounds, builder.getInt64(1));
  llvm::Value* const last = builder.CreateAdd(first, builder.CreateMul(place.step, others));
  llvm::Value* const is_up = builder.CreateICmpULE(first, last);
  return {
      builder.CreateSelect(is_up, first, last),
      builder.CreateAdd(builder.CreateSelect(is_up, last, first), builder.getInt64(access.bytes))};
}

llvm::Value* RangeHooks::are_single(const Access& access) {
  const llvm::Loop* const loop = ranges_.loop_of(*access.instruction);
  if (llvm::Value* const known = are_single_.lookup(loop)) return known;
  llvm::IRBuilder<> builder(place_for(*loop, false));
  llvm::DenseMap<const llvm::Instruction*, Extent> extents;
  for (const Access& other : accesses_) {
    if (other.if_apart && ranges_.loop_of(*other.instruction) == loop) {
      extents[other.instruction] = extent_of(other, builder);
    }
  }
  llvm::Value* meet = builder.getFalse();
  const Comparison& comparison = to_compare_.find(loop)->second;
  for (const auto& [range, pointer] : comparison.pointers) {
    const Extent& extent = extents[range];
    builder.SetCurrentDebugLocation(access.instruction->getDebugLoc());
    meet = builder.CreateOr(
        meet, &quiet_hooks_.call(builder, hooks_.may_reach(), {pointer, extent.first, extent.end}));
  }
  for (const RangePair& pair : comparison.ranges) {
    const Extent& read = extents[pair.read];
    const Extent& write = extents[pair.write];
    meet = builder.CreateOr(meet, builder.CreateAnd(builder.CreateICmpULT(read.first, write.end),
                                                    builder.CreateICmpULT(write.first, read.end)));
  }
  llvm::Value* const active = builder.CreateLoad(builder.getInt8Ty(), hooks_.active());
  return are_single_[loop] = builder.CreateAnd(builder.CreateIsNotNull(active), meet);
}

llvm::Constant* RangeHooks::site_of(const Row& row) {
  if (row.members.size() == 1) return first_of(row).site;
  llvm::SmallVector<SiteTable::GroupMember, 4> members;
  uint32_t offset = 0;
  for (const size_t member : row.members) {
    const auto bytes = static_cast<uint32_t>(accesses_[member].bytes);
    members.push_back({offset, bytes, accesses_[member].site});
    offset += bytes;
  }
  return sites_.new_group(members, (uint64_t{1} << row.bytes) - 1);
}

}  // namespace foretrace::instrument
