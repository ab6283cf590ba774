#include "lint/waits.h"

#include <algorithm>

namespace foretrace::lint {
namespace {

constexpr int kMaxDepth = 3;  // calls of calls

}  // namespace

bool Waits::in(const BlockRef& block) {
  const LockRegion& region = blocks_.region(block);
  const auto [known, is_new] = known_.try_emplace(&region, region.by_wait);
  if (!is_new || region.by_wait) return known->second;
  const ContextId context = blocks_.context(block.unit);
  const auto found = [&](uint32_t op) { return waits({context, op}, 0); };
  known->second = std::any_of(region.exits.begin(), region.exits.end(),
                              [&](const LockRegion::Exit& exit) { return found(exit.release); }) ||
                  std::any_of(region.ops.begin(), region.ops.end(), found);
  return known->second;
}

bool Waits::waits(const Place& place, int depth) {
  const Op& op = program_.op(place);
  if (const Release* const release = op.as<Release>()) return release->by_wait;
  if (op.as<Call>() == nullptr || depth > kMaxDepth) return false;
  const std::span<const ContextId> callees = program_.callees(place);
  return std::any_of(callees.begin(), callees.end(),
                     [&](ContextId callee) { return has_wait(callee, depth + 1); });
}

bool Waits::has_wait(ContextId context, int depth) {
  const std::vector<uint32_t> ops = ops_of(program_, context);
  return std::any_of(ops.begin(), ops.end(),
                     [&](uint32_t op) { return waits({context, op}, depth); });
}

}  // namespace foretrace::lint
