#include "lint/flows.h"

#include <algorithm>

namespace foretrace::lint {
namespace {

bool is_prefix(const Path& prefix, const Path& path) {
  return prefix.root == path.root && prefix.index == path.index && prefix.name == path.name &&
         prefix.steps.size() <= path.steps.size() &&
         std::equal(prefix.steps.begin(), prefix.steps.end(), path.steps.begin());
}

Path pointed_to(Path path) {
  path.steps.push_back({Step::Kind::deref, {}});
  return path;
}

// The object that an argument or receiver refers to, in the words of the caller.
Path referred(const Value& value) {
  return value.kind == Value::Kind::address_of ? value.path : pointed_to(value.path);
}

bool refers(const Value& value) {
  return (value.kind == Value::Kind::address_of || value.kind == Value::Kind::value_of) &&
         value.path.known();
}

bool is_indirect(const Path& path) {
  return !path.steps.empty() && path.steps.front().kind == Step::Kind::deref;
}

// `path` with its root (and the deref after it) replaced by what the caller passed.
Path rebased(const Path& path, const Path& base, size_t dropped) {
  Path result = base;
  result.steps.insert(result.steps.end(), path.steps.begin() + static_cast<std::ptrdiff_t>(dropped),
                      path.steps.end());
  return result;
}

}  // namespace

// What is part of something that has the value is not kept apart, unless only the part is
// seen by callers. Where calls go deep, so would paths: beyond some steps, all that is
// there counts.
void Flows::Taint::add(Path path) {
  constexpr size_t kMostSteps = 6;
  if (path.steps.size() > kMostSteps) path.steps.resize(kMostSteps);
  const auto covers = [](const Path& whole, const Path& part) {
    return is_prefix(whole, part) &&
           (whole.root == Path::Root::global || is_indirect(whole) == is_indirect(part));
  };
  if (std::any_of(memory.begin(), memory.end(),
                  [&](const Path& known) { return covers(known, path); })) {
    return;
  }
  std::erase_if(memory, [&](const Path& known) { return covers(path, known); });
  memory.insert(std::move(path));
  ++changes;
}

bool Flows::Taint::has(const Tokens& used) const {
  return std::any_of(used.begin(), used.end(),
                     [&](const Token& token) { return tokens.contains(token); });
}

bool Flows::Taint::has(const Path& path) const {
  return path.known() && std::any_of(memory.begin(), memory.end(), [&](const Path& tainted) {
           return is_prefix(tainted, path) || is_prefix(path, tainted);
         });
}

bool Flows::Taint::has(const Value& value) const {
  if (has(value.tokens)) return true;
  if (refers(value) && (has(value.path) || has(referred(value)))) return true;
  return std::any_of(value.captures.begin(), value.captures.end(),
                     [&](const Value& capture) { return has(capture); });
}

Flows::Flows(const Program& program, const ContextEffects& effects, Shapes& shapes,
             const Blocks& blocks)
    : program_(program), effects_(effects), shapes_(shapes), blocks_(blocks) {}

FlowKind Flows::Reach::most() const {
  if (!data.empty()) return FlowKind::data;
  return empty() ? FlowKind::none : FlowKind::guard;
}

bool Flows::reads(const Place& place, const Variable* variable) const {
  return variable != nullptr ? effects_.reads(place, variable->all()) : effects_.reads(place);
}

bool Flows::writes(const Place& place, const Variable& variable) const {
  return effects_.writes(place, variable.all());
}

std::vector<uint32_t> Flows::all_ops(ContextId context) {
  std::vector<uint32_t> ops;
  for (const Block& block : program_.context(context).function->blocks) {
    for (const Op& op : block.ops) ops.push_back(op.id);
  }
  return ops;
}

// ---- where a value goes inside of a function

bool Flows::spread_over(ContextId context, const Op& op, Taint& taint) {
  const size_t before = taint.tokens.size() + taint.changes;
  if (const Access* const access = op.as<Access>()) {
    if (access->write && taint.has(op.uses)) taint.add(access->path);
    if (!access->write && taint.has(access->path)) taint.tokens.insert({Token::Kind::op, op.id});
  } else if (const Call* const call = op.as<Call>()) {
    const auto tainted = [&](const Value& value) { return taint.has(value); };
    const bool given = std::any_of(call->arguments.begin(), call->arguments.end(), tainted);
    if (given || tainted(call->receiver) || tainted(call->through)) {
      taint.tokens.insert({Token::Kind::op, op.id});
    }
    if (given && program_.callees({context, op.id}).empty()) {
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

void Flows::spread(ContextId context, Taint& taint) {
  const Function& function = *program_.context(context).function;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Block& block : function.blocks) {
      for (const Op& op : block.ops) changed = spread_over(context, op, taint) || changed;
    }
  }
  const FunctionShape& shape = shapes_.of(function);
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    if (taint.has(function.blocks[block].condition) && shape.complains(block)) taint.stops = true;
  }
}

Flows::Known& Flows::known_of(const Variable* variable) {
  if (variable == nullptr) return known_of_any_;
  if (known_.variable != variable->all()) known_ = {variable->all(), {}, {}};
  return known_;
}

const Flows::Outward& Flows::read_in(ContextId context, const Variable* variable) {
  std::map<ContextId, Outward>& known = known_of(variable).read;
  if (const auto found = known.find(context); found != known.end()) return found->second;
  Taint taint = seeds(context, all_ops(context), variable);
  spread(context, taint);
  return known[context] = outward(context, taint);
}

Flows::Taint Flows::seeds(ContextId context, std::span<const uint32_t> ops,
                          const Variable* variable) {
  Taint taint;
  if (!open_.insert(context).second) return taint;
  for (const uint32_t id : ops) {
    const Place place{context, id};
    if (!reads(place, variable)) continue;
    const Op& op = program_.op(place);
    const std::vector<ContextId>& callees =
        op.as<Call>() != nullptr ? program_.callees(place) : std::vector<ContextId>();
    if (callees.empty()) taint.tokens.insert({Token::Kind::op, id});
    for (const ContextId callee : callees) to_caller(read_in(callee, variable), op, taint);
  }
  open_.erase(context);
  return taint;
}

// ---- between functions

Flows::Outward Flows::outward(ContextId context, const Taint& taint) const {
  const Function& function = *program_.context(context).function;
  Outward seen;
  seen.stops = taint.stops;
  const bool returned = std::any_of(function.returns.begin(), function.returns.end(),
                                    [&](const Value& value) { return taint.has(value); });
  // What is returned may also depend on it by what was decided on the way.
  const bool decided = std::any_of(function.blocks.begin(), function.blocks.end(),
                                   [&](const Block& block) { return taint.has(block.condition); });
  seen.returned = returned || (decided && !function.returns.empty());
  std::copy_if(taint.memory.begin(), taint.memory.end(), std::back_inserter(seen.memory),
               [](const Path& path) {
                 return path.root == Path::Root::global ||
                        (is_indirect(path) &&
                         (path.root == Path::Root::self || path.root == Path::Root::parameter ||
                          path.root == Path::Root::capture));
               });
  return seen;
}

void Flows::to_caller(const Outward& seen, const Op& op, Taint& taint) {
  const Call& call = *op.as<Call>();
  taint.stops = taint.stops || seen.stops;
  if (seen.returned) taint.tokens.insert({Token::Kind::op, op.id});
  const auto passed = [&](const Path& path) -> const Value* {
    if (path.root == Path::Root::self) return &call.receiver;
    const std::vector<Value>& given =
        path.root == Path::Root::parameter ? call.arguments : call.through.captures;
    return path.index < given.size() ? &given[path.index] : nullptr;
  };
  for (const Path& path : seen.memory) {
    if (path.root == Path::Root::global) {
      taint.add(path);
    } else if (const Value* const value = passed(path); value != nullptr && refers(*value)) {
      taint.add(rebased(path, referred(*value), 1));
    }
  }
}

Flows::Taint Flows::to_callee(const Taint& taint, const Op& op) {
  Taint result;
  const Call& call = *op.as<Call>();
  const auto pass = [&](const Value& value, Path::Root root, uint32_t index) {
    if (refers(value) && taint.has(referred(value))) {
      result.add(pointed_to({root, index, {}, {}}));
    }
    if (!taint.has(value.tokens) && !(refers(value) && taint.has(value.path))) return;
    if (root == Path::Root::parameter) result.tokens.insert({Token::Kind::parameter, index});
    if (root == Path::Root::capture) result.tokens.insert({Token::Kind::capture, index});
  };
  for (uint32_t i = 0; i < call.arguments.size(); ++i) {
    pass(call.arguments[i], Path::Root::parameter, i);
  }
  for (uint32_t i = 0; i < call.through.captures.size(); ++i) {
    pass(call.through.captures[i], Path::Root::capture, i);
  }
  pass(call.receiver, Path::Root::self, 0);
  for (const Path& path : taint.memory) {
    if (path.root == Path::Root::global) result.add(path);
  }
  return result;
}

bool Flows::guarded(ContextId context, uint32_t op, const Taint& taint) {
  const FunctionShape& shape = shapes_.of(*program_.context(context).function);
  const std::vector<uint32_t>& deciders = shape.deciders(shape.block_of(op));
  return std::any_of(deciders.begin(), deciders.end(), [&](uint32_t block) {
    return taint.has(shape.function().blocks[block].condition);
  });
}

Flows::Reach Flows::reach(const BlockRef& second, const Taint& taint) {
  const ContextId context = blocks_.context(second.unit);
  const LockRegion& region = blocks_.region(second);
  Reach result;
  result.decides = guarded(context, region.acquire, taint);
  for (const uint32_t id : region.ops) {
    const Op& op = program_.op({context, id});
    const Access* const access = op.as<Access>();
    const Call* const call = op.as<Call>();
    if (access == nullptr && call == nullptr) continue;
    const auto tainted = [&](const Value& value) { return taint.has(value); };
    if (access != nullptr ? taint.has(op.uses)
                          : std::any_of(call->arguments.begin(), call->arguments.end(), tainted)) {
      result.data.push_back(id);
    } else if (guarded(context, id, taint)) {
      result.guarded.push_back(id);
    }
  }
  return result;
}

FlowKind Flows::to(const BlockRef& second, const Reach& reach, const Variable& target) const {
  const auto touches = [&](uint32_t op) {
    const Place place{blocks_.context(second.unit), op};
    return reads(place, &target) || writes(place, target);
  };
  if (std::any_of(reach.data.begin(), reach.data.end(), touches)) return FlowKind::data;
  const bool guards =
      reach.decides || std::any_of(reach.guarded.begin(), reach.guarded.end(), touches);
  return guards ? FlowKind::guard : FlowKind::none;
}

Flows::Taint Flows::from_first(UnitId unit, const BlockPart& part, const Variable* source) {
  const BlockRef& first = part.block;
  const LockRegion& region = blocks_.region(first);
  const uint32_t release = blocks_.place(first.unit, first.end).op;
  const auto exit = std::find_if(region.exits.begin(), region.exits.end(),
                                 [&](const auto& one) { return one.release == release; });
  ContextId context = blocks_.context(first.unit);
  Taint taint = seeds(context, exit->ops, source);
  spread(context, taint);
  const std::vector<ChainLink> up = blocks_.succession().chain(unit, part);
  for (auto link = up.rbegin(); link != up.rend(); ++link) {
    const Place call = blocks_.place(link->unit, link->call);
    const Outward seen = outward(context, taint);
    taint = {};
    to_caller(seen, program_.op(call), taint);
    context = call.context;
    spread(context, taint);
  }
  return taint;
}

Flows::Taint Flows::passed_on(UnitId unit, const BlockPart& second, Taint taint) {
  if (second.callee == kNothing) return taint;
  const Place call = blocks_.place(unit, second.node);
  Taint passed = to_callee(taint, program_.op(call));
  passed.stops = taint.stops || guarded(call.context, call.op, taint);
  return passed;
}

Flows::Reach Flows::in_second(UnitId unit, const BlockPart& second, Taint taint) {
  bool decides = taint.stops;
  bool in_unit = true;  // which has passed it on already
  for (const ChainLink& link : blocks_.succession().chain(unit, second)) {
    const Place call = blocks_.place(link.unit, link.call);
    if (!in_unit) {
      decides = decides || guarded(call.context, call.op, taint);
      taint = to_callee(taint, program_.op(call));
    }
    in_unit = false;
    // Which of the callees it is does not matter to what it is given.
    const std::vector<ContextId>& callees = program_.callees(call);
    if (!callees.empty()) spread(callees.front(), taint);
  }
  spread(blocks_.context(second.block.unit), taint);
  Reach result = reach(second.block, taint);
  result.decides = result.decides || decides;
  return result;
}

// ---- checked again

// wait(lock, predicate) calls its predicate, at one place, before and after it waits.
bool Flows::predicate_reads(ContextId context, const LockRegion& region, const Variable& variable) {
  const FunctionShape& shape = shapes_.of(*program_.context(context).function);
  const std::vector<Op>& ops = shape.function().blocks[shape.block_of(region.acquire)].ops;
  const auto acquire =
      std::find_if(ops.begin(), ops.end(), [&](const Op& op) { return op.id == region.acquire; });
  const auto after = std::next(acquire);
  if (after == ops.end() || after->as<Call>() == nullptr) return false;
  const bool called_before = std::any_of(ops.begin(), acquire, [&](const Op& op) {
    return op.as<Call>() != nullptr && op.position == after->position;
  });
  return called_before && reads({context, after->id}, &variable);
}

bool Flows::rechecked(const BlockRef& second, const Variable& variable, bool does_write) {
  const ContextId context = blocks_.context(second.unit);
  const LockRegion& region = blocks_.region(second);
  if (region.by_wait && predicate_reads(context, region, variable)) return true;
  return checks_before_acting(context, region.ops, region.acquire, variable, does_write);
}

bool Flows::callee_checks(ContextId callee, const Variable& variable, bool does_write) {
  auto& known = known_of(&variable).checks;
  const std::pair key(callee, does_write);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  const std::vector<uint32_t> ops = all_ops(callee);
  const bool checks =
      !ops.empty() && checks_before_acting(callee, ops, ops.front(), variable, does_write);
  return known[key] = checks;
}

bool Flows::checks_before_acting(ContextId context, std::span<const uint32_t> ops, uint32_t begin,
                                 const Variable& variable, bool does_write) {
  if (!open_.insert(context).second) return true;  // recursion: decided further out
  const FunctionShape& shape = shapes_.of(*program_.context(context).function);
  Taint fresh;
  for (const uint32_t op : ops) {
    if (reads({context, op}, &variable)) fresh.tokens.insert({Token::Kind::op, op});
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
    if (does_write ? !writes(place, variable) : !reads(place, &variable)) continue;
    acts = true;
    if (covered(op)) continue;
    if (!does_write) continue;  // a read may be the check itself
    bool inside = false;
    if (program_.op(place).as<Call>() != nullptr) {
      const std::vector<ContextId>& callees = program_.callees(place);
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
