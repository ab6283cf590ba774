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
  sets_of_patterns_.number_of(Bits(patterns_.size()));  // kFitsNone
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
  made.number = in_function_.parts.number_of({made.op, made.kind});
  made.content = content;
  made.moment = partners_.moment(block);
  return made;
}

Partners::Around AnomalyFinder::around(UnitId unit, NodeId first, NodeId second) const {
  Partners::Around locks;
  for (const HeldLock& held : blocks_.around(unit, first, second)) {
    locks.emplace_back(held.lock, held.shared);
  }
  return locks;
}

// Who can come between the blocks that meet at a node. Most blocks of a unit are done at one
// of very few moments.
class AnomalyFinder::OthersBetween {
 public:
  OthersBetween(AnomalyFinder& finder, UnitId unit, const Meeting& meeting)
      : finder_(finder), unit_(unit), node_(meeting.node) {}

  // Blocks with equal numbers have the same others.
  uint32_t number_of(const Part& first) {
    const uint32_t number = firsts_.number_of({first.moment, first.block->node});
    if (number == arounds_.size()) {
      arounds_.push_back(finder_.around(unit_, first.block->node, node_));
    }
    return number;
  }
  // By number of the first.
  const std::vector<uint32_t>& before(const Part& second) {
    const auto [known, is_new] = known_.try_emplace(second.moment);
    for (uint32_t first = 0; is_new && first < arounds_.size(); ++first) {
      known->second.push_back(
          finder_.partners_.between(firsts_.at(first).first, second.moment, arounds_[first]));
    }
    return known->second;
  }

 private:
  AnomalyFinder& finder_;
  const UnitId unit_;
  const NodeId node_;
  Numbered<std::pair<MomentId, NodeId>> firsts_;
  std::vector<Partners::Around> arounds_;  // by number
  std::map<MomentId, std::vector<uint32_t>> known_;
};

void AnomalyFinder::look_at(UnitId unit) {
  std::map<BlockPart, Part> parts;
  const auto known_part = [&](const BlockPart& part) -> const Part& {
    const auto [known, is_new] = parts.try_emplace(part);
    if (is_new) known->second = part_of(unit, known->first);
    return known->second;
  };
  const auto does_nothing = [&](const auto& one) {
    return blocks_.effects(one.part.block).empty();
  };
  for (Meeting& meeting : blocks_.succession().meetings(unit)) {
    std::erase_if(meeting.firsts, does_nothing);
    std::erase_if(meeting.seconds, does_nothing);
    OthersBetween others_between(*this, unit, meeting);
    std::vector<std::pair<const Part*, uint32_t>> firsts;  // and their number
    for (const Meeting::First& first : meeting.firsts) {
      const Part& part = known_part(first.part);
      firsts.emplace_back(&part, others_between.number_of(part));
    }
    for (const Meeting::Second& second : meeting.seconds) {
      const Part& then = known_part(second.part);
      const std::vector<uint32_t>& others_before = others_between.before(then);
      for (size_t i = 0; i < firsts.size(); ++i) {
        const Meeting::First& first = meeting.firsts[i];
        const auto& [part, number] = firsts[i];
        if (!second.follows(first)) continue;
        const uint32_t others = others_before[number];
        const uint32_t fits = fitting(part->content, then.content, others);
        if (fits == kFitsNone) continue;
        const Bits& patterns = sets_of_patterns_.at(fits);
        const Worthwhile& worth = worthwhile(unit, *part, then);
        if (!patterns.meets(of(worth, first.around_loop, FlowKind::data))) continue;
        look_at({unit, {first.part, second.part, first.around_loop}, *part, then, others},
                patterns);
      }
    }
  }
}

const PairVariables& AnomalyFinder::variables(ContentId first, ContentId second) {
  if (const std::pair contents(first, second); contents != variables_for_) {
    variables_ = finder_.find(first, second);
    variables_for_ = contents;
  }
  return variables_;
}

uint32_t AnomalyFinder::fitting(ContentId first, ContentId second, uint32_t others) {
  const auto known = fitting_.find({first, second, others});
  if (known != fitting_.end()) return known->second;
  Bits fits(patterns_.size());
  for (size_t number = 0; number < patterns_.size(); ++number) {
    const Pattern& pattern = *patterns_[number].pattern;
    Bits between = partners_.set(others);
    if (pattern.other_uses(pattern.first)) between &= finder_.touching(first);
    if (pattern.other_uses(pattern.second)) between &= finder_.touching(second);
    if (!between.any()) continue;
    match(pattern, variables(first, second).uses, between, [&](auto, const Bits&) {
      fits.set(number);
      return false;
    });
  }
  return fitting_[{first, second, others}] = sets_of_patterns_.number_of(std::move(fits));
}

FlowKind AnomalyFinder::most_flow(const Pair& pair) {
  const auto [known, is_new] =
      in_function_.most_flow.try_emplace({pair.first.number, pair.second.number}, FlowKind::none);
  if (is_new) {
    known.value() = flows_.between(pair.unit, pair.first, pair.second, nullptr).most();
  }
  return known->second;
}

std::optional<AnomalyFinder::Strength> AnomalyFinder::at_most(bool around_loop,
                                                              const Pattern& pattern,
                                                              FlowKind flow) const {
  if (!pattern.source()) flow = FlowKind::none;
  if (pattern.needs_flow && flow == FlowKind::none) return std::nullopt;
  Confidence confidence = flow != FlowKind::none ? Confidence::high : Confidence::normal;
  if (around_loop && flow != FlowKind::data) confidence = Confidence::low;
  if (confidence < least_) return std::nullopt;
  const uint32_t source = pattern.source() ? *pattern.source() : pattern.first[0].name;
  const bool overwrites =
      source == pattern.target() && wants_write(pattern.second, pattern.target());
  return Strength{confidence, flow, overwrites};
}

const AnomalyFinder::Worthwhile& AnomalyFinder::worthwhile(UnitId unit, const Part& first,
                                                           const Part& second) {
  const auto [entry, is_new] = in_function_.worthwhile.try_emplace({first.op, second.op});
  if (!is_new) return entry->second;
  const auto known = found_.find(key_of(unit, first.op, second.op));
  const auto makes_difference = [&](bool around_loop, const RulePattern& one, FlowKind flow) {
    const std::optional<Strength> most = at_most(around_loop, *one.pattern, flow);
    if (!most || known == found_.end()) return most.has_value();
    const std::vector<std::string>& rules = known->second.rules;
    if (std::find(rules.begin(), rules.end(), one.rule->name) == rules.end()) return true;
    return std::tie(std::get<0>(*most), std::get<1>(*most)) >
           std::tie(known->second.confidence, known->second.flow);
  };
  for (const bool around_loop : {false, true}) {
    for (const FlowKind flow : {FlowKind::none, FlowKind::guard, FlowKind::data}) {
      Bits& patterns = entry.value()[around_loop ? 1 : 0][static_cast<size_t>(flow)];
      patterns = Bits(patterns_.size());
      for (size_t number = 0; number < patterns_.size(); ++number) {
        if (makes_difference(around_loop, patterns_[number], flow)) patterns.set(number);
      }
    }
  }
  return entry->second;
}

void AnomalyFinder::look_at(const Pair& pair, const Bits& fits) {
  const FlowKind most = most_flow(pair);
  const bool around_loop = pair.blocks.around_loop;
  // What is found changes it.
  const auto worth = [&]() -> const Bits& {
    return of(worthwhile(pair.unit, pair.first, pair.second), around_loop, most);
  };
  if (!fits.meets(worth()) || !in_function_.seen
                                   .insert({pair.first.number, pair.second.number,
                                            pair.others * 2 + (around_loop ? 1U : 0U)})
                                   .second) {
    return;
  }
  Closely closely{variables(pair.first.content, pair.second.content), most, {}, {}, {}};
  for (size_t number = 0; number < patterns_.size(); ++number) {
    const RulePattern& one = patterns_[number];
    if (!fits.has(number) || !worth().has(number)) continue;
    match(*one.pattern, closely.variables.uses, partners_.set(pair.others),
          [&](std::span<const uint32_t> bound, const Bits& between) {
            evaluate(pair, closely, one, bound, between);
            return worth().has(number);
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
  const BlockPair& blocks = pair.blocks;
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
        rechecks_.before_acting(pair.blocks.second.block, variable(closely, source), writes);
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
  if (pair.blocks.around_loop && anomaly.flow != FlowKind::data) {
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
  anomaly.pair = pair.blocks;
  const bool first_writes = !pattern.source().has_value();
  const auto first =
      find_use(blocks_, pair.blocks.first.block, variable(closely, source), first_writes);
  const auto second =
      find_use(blocks_, pair.blocks.second.block, variable(closely, target), writes);
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
  keep(pair, std::move(anomaly));
}

AnomalyFinder::Key AnomalyFinder::key_of(UnitId unit, uint32_t first_op, uint32_t second_op) const {
  const ContextId context = blocks_.context(unit);
  return {program_.context(context).function->usr, program_.op({context, first_op}).position,
          program_.op({context, second_op}).position};
}

// The strongest counts; the names of all others that fit the same two places are kept.
void AnomalyFinder::keep(const Pair& pair, Anomaly anomaly) {
  in_function_.worthwhile.erase({pair.first.op, pair.second.op});
  const auto [known, is_new] =
      found_.try_emplace(key_of(pair.unit, pair.first.op, pair.second.op), anomaly);
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
