#include "lint/function_flows.h"

#include <algorithm>

namespace foretrace::lint {

uint32_t FunctionFlows::form_of(ContextId context) {
  const auto [known, is_new] = form_of_.try_emplace(context, 0);
  if (!is_new) return known->second;
  const Function& function = *program_.context(context).function;
  std::vector<bool> differences;
  for (const Block& block : function.blocks) {
    for (const Op& op : block.ops) {
      const bool is_call = op.as<Call>() != nullptr;
      if (is_call) differences.push_back(!program_.callees({context, op.id}).empty());
      if (is_call || op.as<Access>() != nullptr) differences.push_back(writes_shared(context, op));
    }
  }
  const auto number = static_cast<uint32_t>(forms_.size());
  return known->second =
             forms_.try_emplace({&function, std::move(differences)}, number).first->second;
}

bool FunctionFlows::writes_shared(ContextId context, const Op& op) const {
  const Effects& effects = effects_.direct({context, op.id});
  return std::any_of(effects.begin(), effects.end(),
                     [](const Effects::Entry& entry) { return entry.second.write; });
}

bool FunctionFlows::spread_over(ContextId context, const Op& op, Taint& taint) const {
  const size_t before = taint.tokens.size() + taint.changes;
  if (const Access* const access = op.as<Access>()) {
    if (access->write && taint.has(op.uses) && !writes_shared(context, op)) {
      taint.add(access->path);
    }
    if (!access->write && taint.has(access->path)) taint.tokens.insert({Token::Kind::op, op.id});
  } else if (const Call* const call = op.as<Call>()) {
    const auto tainted = [&](const Value& value) { return taint.has(value); };
    const bool given = std::any_of(call->arguments.begin(), call->arguments.end(), tainted);
    if (given || tainted(call->receiver) || tainted(call->through)) {
      taint.tokens.insert({Token::Kind::op, op.id});
    }
    if (given && program_.callees({context, op.id}).empty() && !writes_shared(context, op)) {
      // A library function may put it into what it can write.
      if (call->is_method && !call->is_const && refers(call->receiver)) {
        taint.add(referred(call->receiver));
      }
      for (size_t i = 0; i < call->arguments.size(); ++i) {
        const bool is_const = i >= call->argument_is_const.size() || call->argument_is_const[i];
        if (!is_const && refers(call->arguments[i])) {
          taint.add(referred(call->arguments[i]));
        }
      }
    }
  }
  return taint.tokens.size() + taint.changes != before;
}

void FunctionFlows::spread(ContextId context, Taint& taint, const Anew& anew) {
  const Function& function = *program_.context(context).function;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Block& block : function.blocks) {
      for (const Op& op : block.ops) {
        const Anew::Without without(anew, op.id, taint);
        changed = spread_over(context, op, taint) || changed;
      }
    }
  }
  const FunctionShape& shape = shapes_.of(function);
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    if (taint.has(function.blocks[block].condition) && shape.complains(block)) taint.stops = true;
  }
}

bool FunctionFlows::decides(ContextId context, uint32_t op, const Taint& taint) {
  const FunctionShape& shape = shapes_.of(*program_.context(context).function);
  const std::vector<uint32_t>& deciders = shape.deciders(shape.block_of(op));
  return std::any_of(deciders.begin(), deciders.end(), [&](uint32_t block) {
    return taint.has(shape.function().blocks[block].condition);
  });
}

FunctionFlows::Outward FunctionFlows::outward(ContextId context, const Fact& fact) {
  const uint64_t key = uint64_t{form_of(context)} << 32 | facts_.number_of(fact);
  const auto [known, is_new] = outward_.try_emplace(key);
  if (is_new) known.value() = find_outward(context, fact);
  return known->second;
}

FunctionFlows::Outward FunctionFlows::find_outward(ContextId context, const Fact& fact) {
  Outward seen;
  Taint taint(fact);
  spread(context, taint);
  const Function& function = *program_.context(context).function;
  seen.stops = taint.stops;
  const bool returned = std::any_of(function.returns.begin(), function.returns.end(),
                                    [&](const Value& value) { return taint.has(value); });
  // What is returned may also depend on it by what was decided on the way.
  const bool decided = std::any_of(function.blocks.begin(), function.blocks.end(),
                                   [&](const Block& block) { return taint.has(block.condition); });
  seen.returned = returned || (decided && !function.returns.empty());
  PathNumbers memory;
  for (const Path& path : taint.memory) {
    if (seen_by_callers(path)) memory.push_back(paths_.number_of(path));
  }
  seen.memory = lists_.number_of(std::move(memory));
  return seen;
}

}  // namespace foretrace::lint
