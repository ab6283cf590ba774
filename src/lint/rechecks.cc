#include "lint/rechecks.h"

#include <algorithm>

#include "lint/taint.h"

namespace foretrace::lint {
namespace {

bool has_wait(const Block& block) {
  return std::any_of(block.ops.begin(), block.ops.end(), [](const Op& op) {
    const Acquire* const acquire = op.as<Acquire>();
    return acquire != nullptr && acquire->by_wait;
  });
}

}  // namespace

bool Rechecks::reads(const Place& place, const Variable& variable) const {
  return effects_.reads(place, variable.all());
}

bool Rechecks::writes(const Place& place, const Variable& variable) const {
  return effects_.writes(place, variable.all());
}

Rechecks::Known& Rechecks::known_for(const Variable& variable) {
  if (known_variable_ != variable.all()) {
    known_variable_ = variable.all();
    known_.clear();
  }
  return known_;
}

// wait(lock, predicate) calls its predicate, at one place, before and after it waits.
bool Rechecks::predicate_reads(ContextId context, const LockRegion& region,
                               const Variable& variable) {
  const FunctionShape& shape = shapes_.of(*program_.context(context).function);
  const std::vector<Op>& ops = shape.function().blocks[shape.block_of(region.acquire)].ops;
  const auto acquire =
      std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.id == region.acquire; });
  const auto after = std::next(acquire);
  if (after == ops.end() || after->as<Call>() == nullptr) return false;
  const bool called_before = std::any_of(ops.begin(), acquire, [&](const Op& op) {
    return op.as<Call>() != nullptr && op.position == after->position;
  });
  return called_before && reads({context, after->id}, variable);
}

// A call that waits on a condition variable, and looks at what it waits for.
bool Rechecks::waits_for(const Place& call, const Variable& variable) const {
  const std::span<const ContextId> callees = program_.callees(call);
  return std::any_of(callees.begin(), callees.end(), [&](ContextId callee) {
    const std::vector<Block>& blocks = program_.context(callee).function->blocks;
    return reads(call, variable) && std::any_of(blocks.begin(), blocks.end(), has_wait);
  });
}

bool Rechecks::before_acting(const BlockRef& second, const Variable& variable, bool does_write) {
  const ContextId context = blocks_.context(second.unit);
  const LockRegion& region = blocks_.region(second);
  if (region.by_wait && predicate_reads(context, region, variable)) return true;
  if (waits_for({context, region.acquire}, variable)) return true;
  return checks_before_acting(context, region.ops, region.acquire, variable, does_write);
}

bool Rechecks::callee_checks(ContextId callee, const Variable& variable, bool does_write) {
  Known& known = known_for(variable);
  const std::pair key(callee, does_write);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const std::vector<uint32_t> ops = ops_of(program_, callee);
  const bool checks =
      !ops.empty() && checks_before_acting(callee, ops, ops.front(), variable, does_write);
  return known[key] = checks;
}

bool Rechecks::checks_before_acting(ContextId context, std::span<const uint32_t> ops,
                                    uint32_t begin, const Variable& variable, bool does_write) {
  if (!open_.insert(context).second) return true;  // recursion: decided further out
  const FunctionShape& shape = shapes_.of(*program_.context(context).function);
  Taint fresh;
  for (const uint32_t op : ops) {
    if (reads({context, op}, variable)) fresh.tokens.insert({Token::Kind::op, op});
  }
  std::vector<uint32_t> checks;
  for (uint32_t block = 0; block < shape.function().blocks.size(); ++block) {
    if (fresh.has(shape.function().blocks[block].condition) && !shape.complains(block)) {
      checks.push_back(block);
    }
  }
  const auto covered = [&](uint32_t op) {
    const uint32_t at = shape.block_of(op);
    return std::any_of(checks.begin(), checks.end(), [&](uint32_t check) {
      const std::vector<uint32_t>& deciders = shape.deciders(at);
      if (std::binary_search(deciders.begin(), deciders.end(), check)) return true;
      // Out of a loop only by its condition: while (empty) wait.
      return !shape.loops().left(check, at).empty() && shape.must_pass(begin, op, check);
    });
  };
  bool all = true;
  bool acts = false;
  for (const uint32_t op : ops) {
    const Place place{context, op};
    if (does_write ? !writes(place, variable) : !reads(place, variable)) continue;
    acts = true;
    if (covered(op)) continue;
    if (!does_write) continue;  // a read may be the check itself
    bool inside = false;
    if (program_.op(place).as<Call>() != nullptr) {
      const std::span<const ContextId> callees = program_.callees(place);
      inside =
          !callees.empty() && std::all_of(callees.begin(), callees.end(), [&](ContextId callee) {
            return callee_checks(callee, variable, does_write);
          });
    }
    all = all && inside;
  }
  open_.erase(context);
  return acts && (does_write ? all : !checks.empty());
}

}  // namespace foretrace::lint
