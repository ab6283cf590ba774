#include "lint/flows.h"

#include <algorithm>

namespace foretrace::lint {
namespace {

void add_ops(std::vector<uint32_t>& ops, const std::vector<uint32_t>& more) {
  if (more.empty()) return;
  std::vector<uint32_t> both;
  std::set_union(ops.begin(), ops.end(), more.begin(), more.end(), std::back_inserter(both));
  ops = std::move(both);
}

}  // namespace

Flows::Flows(const Program& program, const ContextEffects& effects, Shapes& shapes,
             const Blocks& blocks, std::vector<bool> wanted)
    : program_(program),
      effects_(effects),
      shapes_(shapes),
      blocks_(blocks),
      functions_(program, effects, shapes),
      reads_(program, effects, functions_, std::move(wanted)) {}

FlowKind Flows::Reach::most() const {
  if (!data.empty()) return FlowKind::data;
  return empty() ? FlowKind::none : FlowKind::guard;
}

void Flows::Reach::add(const Reach& more) {
  add_ops(data, more.data);
  add_ops(guarded, more.guarded);
  decides = decides || more.decides;
}

Anew Flows::anew_in(const BlockRef& second, const Fact& fact) {
  Anew anew;
  const Token* const token = std::get_if<Token>(&fact);
  if (token == nullptr || token->kind != Token::Kind::op) return anew;
  const LockRegion& region = blocks_.region(second);
  if (std::find(region.ops.begin(), region.ops.end(), token->index) == region.ops.end())
    return anew;
  const FunctionShape& shape = shapes_.of(*program_.context(blocks_.context(second.unit)).function);
  anew.token = *token;
  std::copy_if(region.ops.begin(), region.ops.end(), std::back_inserter(anew.ops),
               [&](uint32_t op) { return shape.must_do(region.acquire, op, token->index); });
  std::sort(anew.ops.begin(), anew.ops.end());
  return anew;
}

Flows::Reach Flows::reach(const BlockRef& second, Taint& taint, const Anew& anew) {
  const ContextId context = blocks_.context(second.unit);
  const LockRegion& region = blocks_.region(second);
  Reach result;
  result.decides = functions_.decides(context, region.acquire, taint);
  for (const uint32_t id : region.ops) {
    const Op& op = program_.op({context, id});
    const Access* const access = op.as<Access>();
    const Call* const call = op.as<Call>();
    if (access == nullptr && call == nullptr) continue;
    const Anew::Without without(anew, id, taint);
    const auto tainted = [&](const Value& value) { return taint.has(value); };
    if (access != nullptr ? taint.has(op.uses)
                          : std::any_of(call->arguments.begin(), call->arguments.end(), tainted)) {
      result.data.push_back(id);
    } else if (functions_.decides(context, id, taint)) {
      result.guarded.push_back(id);
    }
  }
  return result;
}

FlowKind Flows::to(const BlockRef& second, const Reach& reach, const Variable& target) const {
  const auto touches = [&](uint32_t op) {
    const Place place{blocks_.context(second.unit), op};
    return effects_.reads(place, target.all()) || effects_.writes(place, target.all());
  };
  if (std::any_of(reach.data.begin(), reach.data.end(), touches)) return FlowKind::data;
  const bool guards =
      reach.decides || std::any_of(reach.guarded.begin(), reach.guarded.end(), touches);
  return guards ? FlowKind::guard : FlowKind::none;
}

// What has a value that the first block read, in the function that puts the two blocks
// together.
const LabelledFacts& Flows::from_first(UnitId unit, const Part& part) {
  const auto [known, is_new] = in_function_.from_first.try_emplace({part.op, part.kind});
  if (!is_new) return known->second;
  const BlockRef& first = part.block->block;
  const LockRegion& region = blocks_.region(first);
  const uint32_t release = blocks_.place(first.unit, first.end).op;
  const auto exit = std::find_if(region.exits.begin(), region.exits.end(),
                                 [&](const auto& one) { return one.release == release; });
  ContextId context = blocks_.context(first.unit);
  LabelledFacts facts = reads_.read_by(context, exit->ops);
  const std::vector<ChainLink> up = blocks_.succession().chain(unit, *part.block);
  for (auto link = up.rbegin(); link != up.rend(); ++link) {
    const Place call = blocks_.place(link->unit, link->call);
    facts = reads_.in_caller(facts, context, call);
    context = call.context;
  }
  return known->second = std::move(facts);
}

// What the unit passes on; or, if the block is its own, all that it has.
const Flows::Passed& Flows::passed_on(UnitId unit, const Part& second, const Fact& fact) {
  const auto [known, is_new] = in_function_.passed_on.try_emplace({second.op, fact});
  if (!is_new) return known->second;
  Passed& passed = known->second;
  Taint taint(fact);
  const bool is_own = second.block->callee == kNothing;
  functions_.spread(blocks_.context(unit), taint,
                    is_own ? anew_in(second.block->block, fact) : Anew());
  passed.decides = taint.stops;
  if (!is_own) {
    const Place call = blocks_.place(unit, second.block->node);
    passed.decides = passed.decides || functions_.decides(call.context, call.op, taint);
    taint = in_callee(taint, *program_.op(call).as<Call>());
  }
  passed.facts = taint.facts();
  return passed;
}

const Flows::Reach& Flows::in_second(UnitId unit, const Part& second, const Fact& passed) {
  const auto [known, is_new] = in_function_.in_second.try_emplace({second.op, second.kind, passed});
  if (!is_new) return known->second;
  Taint taint(passed);
  bool decides = false;
  bool in_unit = true;  // which has passed it on already
  for (const ChainLink& link : blocks_.succession().chain(unit, *second.block)) {
    if (!std::exchange(in_unit, false)) {
      const Place call = blocks_.place(link.unit, link.call);
      functions_.spread(call.context, taint);
      decides = decides || functions_.decides(call.context, call.op, taint);
      taint = in_callee(taint, *program_.op(call).as<Call>());
    }
  }
  const BlockRef& block = second.block->block;
  const Anew anew = block.unit == unit ? anew_in(block, passed) : Anew();
  functions_.spread(blocks_.context(block.unit), taint, anew);
  known->second = reach(block, taint, anew);
  known->second.decides = known->second.decides || decides;
  return known->second;
}

const Flows::Reach& Flows::reach_of(UnitId unit, const Part& second, const Fact& fact) {
  const auto [known, is_new] = in_function_.reach.try_emplace({second.op, second.kind, fact});
  if (!is_new) return known->second;
  const Passed& passed = passed_on(unit, second, fact);
  known->second.decides = passed.decides;
  for (const Fact& one : passed.facts) known->second.add(in_second(unit, second, one));
  return known->second;
}

Flows::Reach Flows::between(UnitId unit, const Part& first, const Part& second,
                            const Variable* source) {
  const auto from_source = [&](LocationSets::Id labels) {
    return source != nullptr ? reads_.sets().meets(labels, source->all())
                             : labels != LocationSets::kEmpty;
  };
  const LabelledFacts& from = from_first(unit, first);
  Reach result;
  result.decides = from_source(from.stops);
  for (const auto& [fact, labels] : from.facts) {
    if (from_source(labels)) result.add(reach_of(unit, second, fact));
  }
  return result;
}

}  // namespace foretrace::lint
