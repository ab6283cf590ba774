#include "lint/shape.h"

#include <algorithm>
#include <set>

namespace foretrace::lint {
namespace {

std::vector<std::vector<uint32_t>> successors(const Function& function) {
  std::vector<std::vector<uint32_t>> next;
  next.reserve(function.blocks.size());
  for (const Block& block : function.blocks) next.push_back(block.next);
  return next;
}

bool holds(const Op& op, const Path& lock) {
  return std::any_of(op.held.begin(), op.held.end(),
                     [&](const Held& held) { return held.lock == lock; });
}

// Gives the lock back, and does not still have it from further out.
bool releases(const Op& op, const Path& lock) {
  const Release* const release = op.as<Release>();
  return release != nullptr && release->lock == lock &&
         std::count_if(op.held.begin(), op.held.end(),
                       [&](const Held& held) { return held.lock == lock; }) == 1;
}

}  // namespace

FunctionShape::FunctionShape(const Function& function)
    : function_(function), before_(function.blocks.size()), loops_(successors(function)) {
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    const std::vector<Op>& ops = function.blocks[block].ops;
    for (uint32_t index = 0; index < ops.size(); ++index) {
      places_[ops[index].id] = {&ops[index], block, index};
    }
    for (const uint32_t next : function.blocks[block].next) before_[next].push_back(block);
  }
  for (const auto& [id, place] : places_) {
    const Acquire* const acquire = place.op->as<Acquire>();
    // Taken again by the one who has it: no region of its own.
    if (acquire == nullptr || acquire->kind == LockKind::once) continue;
    if (holds(*place.op, acquire->lock)) continue;
    find_region({id, acquire->lock, acquire->kind, acquire->shared, acquire->by_wait, {}, {}});
  }
  for (const Held& held : function.taken) {
    if (held.if_caller) continue;  // a part of the caller's region, or none at all
    const Op& begin = op(held.acquired_by);
    if (holds(begin, held.lock) && !gives_back(begin, held.lock)) continue;
    find_region({held.acquired_by, held.lock, held.kind, held.shared, false, {}, {}});
  }
}

// Follows the acquire until the lock is given back, or not certainly held any more.
void FunctionShape::find_region(LockRegion region) {
  const OpPlace& start = places_.at(region.acquire);
  std::set<Spot> seen;
  std::vector<Spot> work = {{start.block, start.index + 1}};
  while (!work.empty()) {
    const Spot spot = work.back();
    work.pop_back();
    if (!seen.insert(spot).second) continue;
    const Block& block = function_.blocks[spot.block];
    if (spot.index == block.ops.size()) {
      for (const uint32_t next : block.next) work.push_back({next, 0});
      continue;
    }
    const Op& here = block.ops[spot.index];
    if (!holds(here, region.lock)) continue;
    if (ends(region, here)) {
      region.exits.push_back({here.id, {}});
      continue;
    }
    region.ops.push_back(here.id);
    work.push_back({spot.block, spot.index + 1});
  }
  std::sort(region.ops.begin(), region.ops.end());
  for (LockRegion::Exit& exit : region.exits) exit.ops = ops_on_the_way(region, exit.release);
  regions_.push_back(std::move(region));
}

// A release, or a call that gives the lock back.
bool FunctionShape::ends(const LockRegion& region, const Op& op) const {
  return releases(op, region.lock) || gives_back(op, region.lock);
}

bool FunctionShape::gives_back(const Op& call, const Path& lock) const {
  return std::find(function_.given_back.begin(), function_.given_back.end(),
                   std::pair(call.id, lock)) != function_.given_back.end();
}

// Backwards from the release, within the region.
std::vector<uint32_t> FunctionShape::ops_on_the_way(const LockRegion& region,
                                                    uint32_t release) const {
  const OpPlace& start = places_.at(release);
  std::set<Spot> seen;
  std::vector<uint32_t> ops;
  std::vector<Spot> work = {{start.block, start.index}};
  while (!work.empty()) {
    const Spot spot = work.back();
    work.pop_back();
    if (!seen.insert(spot).second) continue;
    if (spot.index == 0) {
      for (const uint32_t from : before_[spot.block]) {
        work.push_back({from, static_cast<uint32_t>(function_.blocks[from].ops.size())});
      }
      continue;
    }
    const uint32_t id = function_.blocks[spot.block].ops[spot.index - 1].id;
    if (!std::binary_search(region.ops.begin(), region.ops.end(), id)) continue;
    ops.push_back(id);
    work.push_back({spot.block, spot.index - 1});
  }
  std::sort(ops.begin(), ops.end());
  return ops;
}

bool FunctionShape::must_pass(uint32_t from_op, uint32_t to_op, uint32_t block) const {
  const OpPlace& from = places_.at(from_op);
  const OpPlace& to = places_.at(to_op);
  if (to.block == block || (from.block == to.block && from.index < to.index)) return false;
  if (from.block == block) return true;
  std::set<uint32_t> seen = {block};
  std::vector<uint32_t> work = function_.blocks[from.block].next;
  while (!work.empty()) {
    const uint32_t here = work.back();
    work.pop_back();
    if (!seen.insert(here).second) continue;
    if (here == to.block) return false;
    const std::vector<uint32_t>& next = function_.blocks[here].next;
    work.insert(work.end(), next.begin(), next.end());
  }
  return true;
}

bool FunctionShape::must_do(uint32_t from_op, uint32_t to_op, uint32_t op) const {
  const OpPlace& at = places_.at(op);
  const OpPlace& end = places_.at(to_op);
  if (at.block == end.block) return at.index < end.index;
  return must_pass(from_op, to_op, at.block);
}

bool FunctionShape::complains(uint32_t block) const {
  for (uint32_t side : function_.blocks[block].next) {
    std::set<uint32_t> seen;
    while (seen.insert(side).second) {
      const Block& here = function_.blocks[side];
      if (here.throws) return true;
      if (here.next.size() != 1) break;
      // What both sides come to is no side any more.
      if (before_[here.next[0]].size() != 1) break;
      side = here.next[0];
    }
  }
  return false;
}

const FunctionShape& Shapes::of(const Function& function) {
  std::unique_ptr<FunctionShape>& shape = known_[&function];
  if (shape == nullptr) shape = std::make_unique<FunctionShape>(function);
  return *shape;
}

}  // namespace foretrace::lint
