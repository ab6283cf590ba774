#include "lint/anomalies.h"

#include <algorithm>
#include <utility>

namespace foretrace::lint {
namespace {

std::optional<Anomaly::Use> find_use(const Blocks& blocks, const BlockRef& block,
                                     const Variable& variable, bool prefer_write) {
  std::optional<Anomaly::Use> found;
  blocks.effects(block).for_each(
      variable.all(), [&](LocationId location, const LocationEffect& effect) {
        const bool write = prefer_write ? effect.write : !effect.read;
        if (!found || (write == prefer_write && found->write != prefer_write)) {
          found = Anomaly::Use{block, location, write};
        }
      });
  return found;
}

bool wants_write(const std::vector<PatternTerm>& terms, uint32_t name) {
  return std::any_of(terms.begin(), terms.end(), [&](const PatternTerm& term) {
    return !term.negated && term.name == name && !term.reads;
  });
}

}  // namespace

const char* name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::low:
      return "low";
    case Confidence::normal:
      return "normal";
    case Confidence::high:
      return "high";
  }
  return "";
}

AnomalyFinder::AnomalyFinder(const Program& program, const ContextEffects& effects, Shapes& shapes,
                             const Blocks& blocks, std::vector<PatternRule> rules, Confidence least)
    : program_(program),
      blocks_(blocks),
      rules_(std::move(rules)),
      least_(least),
      overlaps_(program.all_locations()),
      partners_(program, blocks, overlaps_),
      finder_(overlaps_, partners_),
      // What no other thread touches under a lock is in no pattern.
      flows_(program, effects, shapes, blocks, partners_.used()),
      rechecks_(program, effects, shapes, blocks),
      waits_(program, blocks) {
  for (const PatternRule& rule : rules_) {
    for (const Pattern& pattern : rule.patterns) patterns_.push_back({&rule, &pattern});
  }
}

// Of equal ones, a variable that is overwritten says most.
AnomalyFinder::Strength AnomalyFinder::strength(const Anomaly& one) {
  const bool overwrites = one.first.location == one.second.location && one.second.write;
  return {one.confidence, one.flow, overwrites};
}

std::vector<Anomaly> AnomalyFinder::run() {
  std::map<const Function*, std::vector<UnitId>> by_function;
  std::vector<const Function*> order;
  for (UnitId unit = 0; unit < blocks_.units(); ++unit) {
    const Function* const function = program_.context(blocks_.context(unit)).function;
    std::vector<UnitId>& units = by_function[function];
    if (units.empty()) order.push_back(function);
    units.push_back(unit);
  }
  for (const Function* const function : order) {
    in_function_ = {};
    flows_.next_function();
    for (const UnitId unit : by_function[function]) look_at(unit);
  }
  std::vector<Anomaly> anomalies;
  for (auto& [key, anomaly] : found_) anomalies.push_back(std::move(anomaly));
  return anomalies;
}

AnomalyFinder::Part AnomalyFinder::part_of(UnitId unit, const BlockPart& part) {
  const BlockRef& block = part.block;
  const uint32_t release =
      block.end == kNothing ? kNothing : blocks_.place(block.unit, block.end).op;
  const ContentId content = partners_.content(block);
  const auto kind = kinds_.try_emplace({&blocks_.region(block), release, content},
                                       static_cast<uint32_t>(kinds_.size()));
  Part made;
  made.op = blocks_.place(unit, part.node).op;
  made.kind = kind.first->second;
  made.block = &part;
  made.content = content;
  made.moment = partners_.moment(block);
  return made;
}

Partners::Around AnomalyFinder::around(UnitId unit, const BlockPair& pair) const {
  Partners::Around locks;
  for (const HeldLock& held : blocks_.around(unit, pair)) {
    locks.emplace_back(held.lock, held.shared);
  }
  return locks;
}

void AnomalyFinder::look_at(UnitId unit) {
  std::map<BlockPart, Part> parts;
  const auto known_part = [&](const BlockPart& part) -> const Part& {
    const auto found = parts.find(part);
    return found != parts.end() ? found->second : parts[part] = part_of(unit, part);
  };
  std::map<std::pair<NodeId, NodeId>, Partners::Around> arounds;
  for (const BlockPair& blocks : blocks_.succession().pairs(unit)) {
    if (blocks_.effects(blocks.first.block).empty() ||
        blocks_.effects(blocks.second.block).empty()) {
      continue;
    }
    Pair pair{unit, &blocks, known_part(blocks.first), known_part(blocks.second), 0};
    const auto [held, is_new] = arounds.try_emplace({blocks.first.node, blocks.second.node});
    if (is_new) held->second = around(unit, blocks);
    pair.others = partners_.between(pair.first.moment, pair.second.moment, held->second);
    if (in_function_.seen
            .insert({pair.first.op, pair.second.op, pair.first.kind, pair.second.kind, pair.others,
                     blocks.around_loop})
            .second) {
      look_at(pair);
    }
  }
}

const PairVariables& AnomalyFinder::variables(const Pair& pair) {
  const std::pair contents(pair.first.content, pair.second.content);
  if (contents != variables_for_) {
    variables_ = finder_.find(contents.first, contents.second);
    variables_for_ = contents;
  }
  return variables_;
}

const Bits& AnomalyFinder::fitting(const Pair& pair) {
  const auto [known, is_new] =
      fitting_.try_emplace({pair.first.content, pair.second.content, pair.others});
  if (!is_new) return known->second;
  known->second = Bits(patterns_.size());
  const Bits& others = partners_.set(pair.others);
  if (!others.any()) return known->second;
  const PairVariables& all = variables(pair);
  for (size_t number = 0; number < patterns_.size(); ++number) {
    match(*patterns_[number].pattern, all.uses, others, [&](auto, const Bits&) {
      known->second.set(number);
      return false;
    });
  }
  return known->second;
}

FlowKind AnomalyFinder::most_flow(const Pair& pair) {
  const auto [known, is_new] = in_function_.most_flow.try_emplace(
      {pair.first.op, pair.first.kind, pair.second.op, pair.second.kind}, FlowKind::none);
  if (is_new) known->second = flows_.between(pair.unit, pair.first, pair.second, nullptr).most();
  return known->second;
}

std::optional<AnomalyFinder::Strength> AnomalyFinder::at_most(const Pair& pair,
                                                              const Pattern& pattern,
                                                              FlowKind flow) const {
  if (!pattern.source()) flow = FlowKind::none;
  if (pattern.needs_flow && flow == FlowKind::none) return std::nullopt;
  Confidence confidence = flow != FlowKind::none ? Confidence::high : Confidence::normal;
  if (pair.blocks->around_loop && flow != FlowKind::data) confidence = Confidence::low;
  if (confidence < least_) return std::nullopt;
  const uint32_t source = pattern.source() ? *pattern.source() : pattern.first[0].name;
  const bool overwrites =
      source == pattern.target() && wants_write(pattern.second, pattern.target());
  return Strength{confidence, flow, overwrites};
}

// Whether the pattern can still make a difference to what is known of the two places.
bool AnomalyFinder::worthwhile(const Pair& pair, const RulePattern& one, FlowKind flow) const {
  const std::optional<Strength> most = at_most(pair, *one.pattern, flow);
  if (!most) return false;
  const auto known = found_.find(key_of(pair.unit, *pair.blocks));
  if (known == found_.end()) return true;
  const std::vector<std::string>& rules = known->second.rules;
  if (std::find(rules.begin(), rules.end(), one.rule->name) == rules.end()) return true;
  return std::tie(std::get<0>(*most), std::get<1>(*most)) >
         std::tie(known->second.confidence, known->second.flow);
}

void AnomalyFinder::look_at(const Pair& pair) {
  const Bits& fits = fitting(pair);
  const auto any = [&](FlowKind flow) {
    for (size_t number = 0; number < patterns_.size(); ++number) {
      if (fits.has(number) && worthwhile(pair, patterns_[number], flow)) return true;
    }
    return false;
  };
  if (!any(FlowKind::data)) return;
  const FlowKind most = most_flow(pair);
  if (most != FlowKind::data && !any(most)) return;
  Closely closely{variables(pair), most, {}, {}, {}};
  for (size_t number = 0; number < patterns_.size(); ++number) {
    const RulePattern& one = patterns_[number];
    if (!fits.has(number) || !worthwhile(pair, one, most)) continue;
    match(*one.pattern, closely.variables.uses, partners_.set(pair.others),
          [&](std::span<const uint32_t> bound, const Bits& between) {
            evaluate(pair, closely, one, bound, between);
            return worthwhile(pair, one, most);
          });
  }
}

const Variable& AnomalyFinder::variable(Closely& closely, uint32_t number) {
  const auto known = closely.all.find(number);
  if (known != closely.all.end()) return known->second;
  return closely.all.emplace(number, Variable(overlaps_, closely.variables.locations[number]))
      .first->second;
}

FlowKind AnomalyFinder::flow(const Pair& pair, Closely& closely, uint32_t source, uint32_t target) {
  if (closely.most == FlowKind::none) return FlowKind::none;
  const BlockPair& blocks = *pair.blocks;
  const auto [reach, is_new] = closely.reach.try_emplace(source);
  if (is_new) {
    reach->second = flows_.between(pair.unit, pair.first, pair.second, &variable(closely, source));
  }
  if (reach->second.empty()) return FlowKind::none;
  return flows_.to(blocks.second.block, reach->second, variable(closely, target));
}

bool AnomalyFinder::rechecked(const Pair& pair, Closely& closely, uint32_t source, bool writes) {
  const auto [known, is_new] = closely.rechecked.try_emplace({source, writes}, false);
  if (is_new) {
    known->second =
        rechecks_.before_acting(pair.blocks->second.block, variable(closely, source), writes);
  }
  return known->second;
}

void AnomalyFinder::evaluate(const Pair& pair, Closely& closely, const RulePattern& one,
                             std::span<const uint32_t> bound, const Bits& between) {
  const Pattern& pattern = *one.pattern;
  const uint32_t target = bound[pattern.target()];
  const uint32_t source =
      pattern.source() ? bound[*pattern.source()] : bound[pattern.first[0].name];
  const bool writes = wants_write(pattern.second, pattern.target());
  Anomaly anomaly;
  if (pattern.source()) {
    anomaly.flow = flow(pair, closely, source, target);
    if (pattern.needs_flow && anomaly.flow == FlowKind::none) return;
    if (pattern.unchecked && rechecked(pair, closely, source, writes)) return;
  }
  anomaly.confidence = anomaly.flow != FlowKind::none ? Confidence::high : Confidence::normal;
  if (pair.blocks->around_loop && anomaly.flow != FlowKind::data) {
    anomaly.confidence = Confidence::low;
  }
  anomaly.other = partners_.block(between.first());
  if (!pattern.source()) {
    // One that waits for things to become so looks at what is half done, and waits on.
    Bits others = between;
    while (others.any() && waits_.in(partners_.block(others.first()))) others.reset(others.first());
    if (others.any()) {
      anomaly.other = partners_.block(others.first());
    } else {
      anomaly.confidence = Confidence::low;
    }
  }
  if (anomaly.confidence < least_) return;
  anomaly.rules = {one.rule->name};
  anomaly.unit = pair.unit;
  anomaly.pair = *pair.blocks;
  const bool first_writes = !pattern.source().has_value();
  const auto first =
      find_use(blocks_, pair.blocks->first.block, variable(closely, source), first_writes);
  const auto second =
      find_use(blocks_, pair.blocks->second.block, variable(closely, target), writes);
  if (!first || !second) return;
  anomaly.first = *first;
  anomaly.second = *second;
  const std::set<uint32_t> both = {source, target};
  for (const uint32_t number : both) {
    const auto name =
        static_cast<uint32_t>(std::find(bound.begin(), bound.end(), number) - bound.begin());
    const auto use = find_use(blocks_, anomaly.other, variable(closely, number),
                              wants_write(pattern.other, name));
    if (use) anomaly.between.push_back(*use);
  }
  keep(std::move(anomaly));
}

AnomalyFinder::Key AnomalyFinder::key_of(UnitId unit, const BlockPair& pair) const {
  const auto position = [&](NodeId node) {
    return program_.op(blocks_.place(unit, node)).position;
  };
  const Function& function = *program_.context(blocks_.context(unit)).function;
  return {function.usr, position(pair.first.node), position(pair.second.node)};
}

// The strongest counts; the names of all others that fit the same two places are kept.
void AnomalyFinder::keep(Anomaly anomaly) {
  const auto [known, is_new] = found_.try_emplace(key_of(anomaly.unit, anomaly.pair), anomaly);
  if (is_new) return;
  if (strength(anomaly) > strength(known->second)) std::swap(known->second, anomaly);
  std::vector<std::string> rules = known->second.rules;
  rules.insert(rules.end(), anomaly.rules.begin(), anomaly.rules.end());
  std::vector<std::string> once;
  for (std::string& rule : rules) {
    if (std::find(once.begin(), once.end(), rule) == once.end()) once.push_back(std::move(rule));
  }
  known->second.rules = std::move(once);
}

}  // namespace foretrace::lint
