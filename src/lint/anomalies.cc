#include "lint/anomalies.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace foretrace::lint {
namespace {

std::optional<Anomaly::Use> find_use(const Effects& effects, const Variable& variable,
                                     bool prefer_write) {
  std::optional<Anomaly::Use> found;
  for (const auto& [location, effect] : effects) {
    if (!variable.has(location)) continue;
    const bool write = prefer_write ? effect.write.has_value() : !effect.read.has_value();
    const std::optional<Place>& place = write ? effect.write : effect.read;
    if (!place) continue;
    if (!found || (write == prefer_write && found->write != prefer_write)) {
      found = Anomaly::Use{*place, location, write};
    }
  }
  return found;
}

bool wants_write(const std::vector<PatternTerm>& terms, uint32_t name) {
  return std::any_of(terms.begin(), terms.end(), [&](const PatternTerm& term) {
    return !term.negated && term.name == name && !term.reads;
  });
}

// Of equal ones, a variable that is overwritten says most.
auto strength(const Anomaly& one) {
  const bool overwrites = one.first.location == one.second.location && one.second.write;
  return std::tuple(one.confidence, one.flow, overwrites);
}

void add_use(VariableUse::Block& use, const LocationEffect& effect) {
  use.reads = use.reads || effect.read.has_value();
  use.writes = use.writes || effect.write.has_value();
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

AnomalyFinder::AnomalyFinder(const Program& program, const Blocks& blocks, Flows& flows,
                             std::vector<PatternRule> rules, Confidence least)
    : program_(program),
      blocks_(blocks),
      flows_(flows),
      rules_(std::move(rules)),
      least_(least),
      overlaps_(program.all_locations()) {}

std::vector<Anomaly> AnomalyFinder::run() {
  index_blocks();
  for (UnitId unit = 0; unit < blocks_.units(); ++unit) {
    for (const BlockPair& pair : blocks_.succession().pairs(unit)) look_at(unit, pair);
  }
  std::vector<Anomaly> anomalies;
  for (auto& [key, anomaly] : found_) anomalies.push_back(std::move(anomaly));
  return anomalies;
}

void AnomalyFinder::index_blocks() {
  for (const BlockRef& block : blocks_.outermost()) {
    const auto number = static_cast<uint32_t>(partners_.size());
    const Place begin{blocks_.context(block.unit), blocks_.region(block).acquire};
    partners_.push_back({block, begin, blocks_.locks(block)});
    for (const auto& [location, effect] : blocks_.effects(block)) {
      touching_[location].push_back(number);
    }
  }
}

// Locations of the two blocks; those that overlap are one variable (category A of
// section 4.7: a container and its elements).
void AnomalyFinder::find_variables(Pair& pair, const Effects& first, const Effects& second) {
  std::vector<LocationId> locations;
  for (const Effects* effects : {&first, &second}) {
    for (const auto& [location, effect] : *effects) locations.push_back(location);
  }
  std::sort(locations.begin(), locations.end());
  locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
  std::vector<size_t> group(locations.size(), locations.size());
  std::vector<size_t> work;
  for (size_t start = 0; start < locations.size(); ++start) {
    if (group[start] != locations.size()) continue;
    std::vector<LocationId> together;
    work.push_back(start);
    group[start] = start;
    while (!work.empty()) {
      const LocationId location = locations[work.back()];
      work.pop_back();
      together.push_back(location);
      for (const LocationId other : overlaps_.of(location)) {
        const auto at = std::lower_bound(locations.begin(), locations.end(), other);
        if (at == locations.end() || *at != other) continue;
        const auto index = static_cast<size_t>(at - locations.begin());
        if (std::exchange(group[index], start) != start) work.push_back(index);
      }
    }
    const auto number = static_cast<uint32_t>(pair.variables.size());
    const Variable& variable = pair.variables.emplace_back(overlaps_, together);
    for (const LocationId location : variable.all()) {
      pair.variable_at.emplace_back(location, number);
    }
  }
  std::sort(pair.variable_at.begin(), pair.variable_at.end());
  pair.uses.resize(pair.variables.size());
  for (const auto& [variable, reads, writes] : uses_of(pair, first)) {
    pair.uses[variable].first = {reads, writes};
  }
  for (const auto& [variable, reads, writes] : uses_of(pair, second)) {
    pair.uses[variable].second = {reads, writes};
  }
}

AnomalyFinder::OtherUses AnomalyFinder::uses_of(const Pair& pair, const Effects& effects) {
  std::map<uint32_t, VariableUse::Block> by_variable;
  auto at = pair.variable_at.begin();
  for (const auto& [location, effect] : effects) {
    at = std::lower_bound(at, pair.variable_at.end(), std::pair(location, uint32_t{0}));
    for (; at != pair.variable_at.end() && at->first == location; ++at) {
      add_use(by_variable[at->second], effect);
    }
  }
  OtherUses uses;
  for (const auto& [variable, use] : by_variable)
    uses.emplace_back(variable, use.reads, use.writes);
  return uses;
}

std::vector<uint32_t> AnomalyFinder::partners(const Pair& pair) const {
  std::vector<bool> found(partners_.size(), false);
  for (const auto& [location, variable] : pair.variable_at) {
    const auto blocks = touching_.find(location);
    if (blocks == touching_.end()) continue;
    for (const uint32_t number : blocks->second) found[number] = true;
  }
  std::vector<uint32_t> numbers;
  for (uint32_t number = 0; number < found.size(); ++number) {
    if (found[number]) numbers.push_back(number);
  }
  return numbers;
}

bool AnomalyFinder::can_come_between(const Pair& pair, const Partner& other) const {
  const auto begin = [&](const BlockRef& block) {
    return Place{blocks_.context(block.unit), blocks_.region(block).acquire};
  };
  if (!program_.parallel(other.begin, begin(pair.blocks->first.block)) ||
      !program_.parallel(other.begin, begin(pair.blocks->second.block))) {
    return false;
  }
  // A lock that is held all the way from the first block to the second keeps it out.
  for (const HeldLock& around : pair.around) {
    for (const HeldLock& lock : other.locks) {
      if (around.lock == lock.lock && !(around.shared && lock.shared)) return false;
    }
  }
  return true;
}

// Partners that do the same to the variables give the same findings: the first counts.
void AnomalyFinder::look_at(UnitId unit, const BlockPair& blocks) {
  const Effects& first = blocks_.effects(blocks.first.block);
  const Effects& second = blocks_.effects(blocks.second.block);
  if (first.empty() || second.empty()) return;
  Pair pair;
  pair.unit = unit;
  pair.blocks = &blocks;
  pair.around = blocks_.around(unit, blocks);
  find_variables(pair, first, second);
  std::set<OtherUses> seen;
  for (const uint32_t number : partners(pair)) {
    const Partner& other = partners_[number];
    const OtherUses uses = uses_of(pair, blocks_.effects(other.block));
    if (seen.contains(uses) || !can_come_between(pair, other)) continue;
    seen.insert(uses);
    for (VariableUse& use : pair.uses) use.other = {};
    for (const auto& [variable, reads, writes] : uses) pair.uses[variable].other = {reads, writes};
    compare(pair, other.block);
  }
}

void AnomalyFinder::compare(Pair& pair, const BlockRef& other) {
  for (const PatternRule& rule : rules_) {
    for (const Pattern& pattern : rule.patterns) {
      match(pattern, pair.uses,
            [&](std::span<const uint32_t> bound) { evaluate(pair, other, rule, pattern, bound); });
    }
  }
}

FlowKind AnomalyFinder::flow(Pair& pair, uint32_t source, uint32_t target) {
  const auto [known, is_new] = pair.flows.try_emplace({source, target}, FlowKind::none);
  if (is_new) {
    known->second =
        flows_.between(pair.unit, *pair.blocks, pair.variables[source], pair.variables[target]);
  }
  return known->second;
}

bool AnomalyFinder::rechecked(Pair& pair, uint32_t source, bool writes) {
  const auto [known, is_new] = pair.rechecked.try_emplace({source, writes}, false);
  if (is_new) {
    known->second = flows_.rechecked(pair.blocks->second.block, pair.variables[source], writes);
  }
  return known->second;
}

void AnomalyFinder::evaluate(Pair& pair, const BlockRef& other, const PatternRule& rule,
                             const Pattern& pattern, std::span<const uint32_t> bound) {
  if (is_settled(pair, rule)) return;
  const uint32_t target = bound[pattern.target()];
  const uint32_t source =
      pattern.source() ? bound[*pattern.source()] : bound[pattern.first[0].name];
  const bool writes = wants_write(pattern.second, pattern.target());
  Anomaly anomaly;
  if (pattern.source()) {
    anomaly.flow = flow(pair, source, target);
    if (pattern.needs_flow && anomaly.flow == FlowKind::none) return;
    if (pattern.unchecked && rechecked(pair, source, writes)) return;
  }
  anomaly.confidence = anomaly.flow != FlowKind::none ? Confidence::high : Confidence::normal;
  if (pair.blocks->around_loop && anomaly.flow != FlowKind::data) {
    anomaly.confidence = Confidence::low;
  }
  if (anomaly.confidence < least_) return;
  anomaly.rules = {rule.name};
  anomaly.unit = pair.unit;
  anomaly.pair = *pair.blocks;
  anomaly.other = other;
  const bool first_writes = !pattern.source().has_value();
  const auto first =
      find_use(blocks_.effects(pair.blocks->first.block), pair.variables[source], first_writes);
  const auto second =
      find_use(blocks_.effects(pair.blocks->second.block), pair.variables[target], writes);
  if (!first || !second) return;
  anomaly.first = *first;
  anomaly.second = *second;
  const std::set<uint32_t> both = {source, target};
  for (const uint32_t variable : both) {
    const auto name =
        static_cast<uint32_t>(std::find(bound.begin(), bound.end(), variable) - bound.begin());
    const auto use = find_use(blocks_.effects(other), pair.variables[variable],
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

// Nothing that the rule still finds can be stronger.
bool AnomalyFinder::is_settled(const Pair& pair, const PatternRule& rule) const {
  const auto known = found_.find(key_of(pair.unit, *pair.blocks));
  if (known == found_.end()) return false;
  const std::vector<std::string>& rules = known->second.rules;
  return strength(known->second) == std::tuple(Confidence::high, FlowKind::data, true) &&
         std::find(rules.begin(), rules.end(), rule.name) != rules.end();
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
