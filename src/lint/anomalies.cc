#include "lint/anomalies.h"

#include <algorithm>
#include <optional>
#include <set>

namespace foretrace::lint {
namespace {

// All objects that a location is a part of, and itself.
template <typename Visit>
void outwards(const Locations& all, LocationId location, const Visit& visit) {
  visit(location);
  while (all.at(location).kind == Location::Kind::inside) {
    location = all.at(location).base;
    visit(location);
  }
}

bool is_vague(const Locations& all, LocationId location) {
  return all.at(all.object_of(location)).kind == Location::Kind::any;
}

std::optional<Anomaly::Use> find_use(const Locations& all, const Effects& effects,
                                     const Variable& variable, bool prefer_write) {
  std::optional<Anomaly::Use> found;
  for (const auto& [location, effect] : effects) {
    if (!overlap(all, location, variable)) continue;
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
    : program_(program), blocks_(blocks), flows_(flows), rules_(std::move(rules)), least_(least) {}

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
  const Locations& all = program_.all_locations();
  for (const BlockRef& block : blocks_.outermost()) {
    bool vague = false;
    std::set<LocationId> touched;
    for (const auto& [location, effect] : blocks_.effects(block)) {
      vague = vague || is_vague(all, location);
      outwards(all, location, [&](LocationId outer) { touched.insert(outer); });
    }
    for (const LocationId location : touched) touching_[location].push_back(block);
    if (vague) vague_.push_back(block);
  }
}

// Blocks that have anything in common with the two.
std::vector<BlockRef> AnomalyFinder::partners(const Effects& first, const Effects& second) const {
  const Locations& all = program_.all_locations();
  std::set<BlockRef> found(vague_.begin(), vague_.end());
  for (const Effects* effects : {&first, &second}) {
    for (const auto& [location, effect] : *effects) {
      if (is_vague(all, location)) return blocks_.outermost();
      outwards(all, location, [&](LocationId outer) {
        const auto blocks = touching_.find(outer);
        if (blocks != touching_.end()) found.insert(blocks->second.begin(), blocks->second.end());
      });
    }
  }
  return {found.begin(), found.end()};
}

// Locations of the two blocks; those that overlap are one variable (category A of
// section 4.7: a container and its elements).
std::vector<Variable> AnomalyFinder::variables_of(const Effects& first,
                                                  const Effects& second) const {
  const Locations& all = program_.all_locations();
  std::vector<Variable> variables;
  for (const Effects* effects : {&first, &second}) {
    for (const auto& [location, effect] : *effects) {
      Variable merged = {location};
      std::erase_if(variables, [&](const Variable& variable) {
        if (!overlap(all, location, variable)) return false;
        merged.insert(merged.end(), variable.begin(), variable.end());
        return true;
      });
      std::sort(merged.begin(), merged.end());
      merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
      variables.push_back(std::move(merged));
    }
  }
  return variables;
}

VariableUse AnomalyFinder::use_of(const Variable& variable, const Effects& first,
                                  const Effects& other, const Effects& second) const {
  const Locations& all = program_.all_locations();
  const auto block = [&](const Effects& effects) {
    VariableUse::Block use;
    for (const auto& [location, effect] : effects) {
      if (!overlap(all, location, variable)) continue;
      use.reads = use.reads || effect.read.has_value();
      use.writes = use.writes || effect.write.has_value();
    }
    return use;
  };
  return {block(first), block(other), block(second)};
}

bool AnomalyFinder::can_come_between(UnitId unit, const BlockPair& pair,
                                     const BlockRef& other) const {
  const auto begin = [&](const BlockRef& block) {
    return Place{blocks_.context(block.unit), blocks_.region(block).acquire};
  };
  if (!program_.parallel(begin(other), begin(pair.first.block)) ||
      !program_.parallel(begin(other), begin(pair.second.block))) {
    return false;
  }
  // A lock that is held all the way from the first block to the second keeps it out.
  const std::vector<HeldLock> locks = blocks_.locks(other);
  for (const HeldLock& around : blocks_.around(unit, pair)) {
    for (const HeldLock& lock : locks) {
      if (around.lock == lock.lock && !(around.shared && lock.shared)) return false;
    }
  }
  return true;
}

void AnomalyFinder::look_at(UnitId unit, const BlockPair& pair) {
  const Effects& first = blocks_.effects(pair.first.block);
  const Effects& second = blocks_.effects(pair.second.block);
  if (first.empty() || second.empty()) return;
  const std::vector<Variable> variables = variables_of(first, second);
  for (const BlockRef& other : partners(first, second)) {
    if (can_come_between(unit, pair, other)) compare(unit, pair, variables, other);
  }
}

void AnomalyFinder::compare(UnitId unit, const BlockPair& pair,
                            const std::vector<Variable>& variables, const BlockRef& other) {
  const Effects& first = blocks_.effects(pair.first.block);
  const Effects& between = blocks_.effects(other);
  const Effects& second = blocks_.effects(pair.second.block);
  std::vector<VariableUse> uses;
  for (const Variable& variable : variables) {
    uses.push_back(use_of(variable, first, between, second));
  }
  const Locations& all = program_.all_locations();
  const auto evaluate = [&](const PatternRule& rule, const Pattern& pattern,
                            std::span<const uint32_t> bound) {
    const uint32_t target = bound[pattern.target()];
    const uint32_t source =
        pattern.source() ? bound[*pattern.source()] : bound[pattern.first[0].name];
    const bool writes = wants_write(pattern.second, pattern.target());
    Anomaly anomaly;
    if (pattern.source()) {
      anomaly.flow = flows_.between(unit, pair, variables[source], variables[target]);
      if (pattern.needs_flow && anomaly.flow == FlowKind::none) return;
      if (pattern.unchecked && flows_.rechecked(pair.second.block, variables[source], writes)) {
        return;
      }
    }
    anomaly.confidence = anomaly.flow != FlowKind::none ? Confidence::high : Confidence::normal;
    if (pair.around_loop && anomaly.flow != FlowKind::data) anomaly.confidence = Confidence::low;
    if (anomaly.confidence < least_) return;
    anomaly.rules = {rule.name};
    anomaly.unit = unit;
    anomaly.pair = pair;
    anomaly.other = other;
    const bool first_writes = !pattern.source().has_value();
    const auto first_use = find_use(all, first, variables[source], first_writes);
    const auto second_use = find_use(all, second, variables[target], writes);
    if (!first_use || !second_use) return;
    anomaly.first = *first_use;
    anomaly.second = *second_use;
    const std::set<uint32_t> both = {source, target};
    for (const uint32_t variable : both) {
      const uint32_t name =
          static_cast<uint32_t>(std::find(bound.begin(), bound.end(), variable) - bound.begin());
      const auto use =
          find_use(all, between, variables[variable], wants_write(pattern.other, name));
      if (use) anomaly.between.push_back(*use);
    }
    keep(std::move(anomaly));
  };
  for (const PatternRule& rule : rules_) {
    for (const Pattern& pattern : rule.patterns) {
      match(pattern, uses,
            [&](std::span<const uint32_t> bound) { evaluate(rule, pattern, bound); });
    }
  }
}

// The strongest counts; the names of all others that fit the same two places are kept.
void AnomalyFinder::keep(Anomaly anomaly) {
  const auto position = [&](NodeId node) {
    return program_.op(blocks_.place(anomaly.unit, node)).position;
  };
  const Function& function = *program_.context(blocks_.context(anomaly.unit)).function;
  const Key key{function.usr, position(anomaly.pair.first.node),
                position(anomaly.pair.second.node)};
  const auto [known, is_new] = found_.try_emplace(key, anomaly);
  if (is_new) return;
  const auto strength = [](const Anomaly& one) {
    // Of equal ones, a variable that is overwritten says most.
    const bool overwrites = one.first.location == one.second.location && one.second.write;
    return std::tuple(one.confidence, one.flow, overwrites);
  };
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
