#include "lint/read_flows.h"

#include <algorithm>

#include "lint/graphs.h"

namespace foretrace::lint {
namespace {

void append(std::vector<LocationId>& all, const std::vector<LocationId>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

// Labels of facts, put together.
class ReadFlows::Collector {
 public:
  Collector(LocationSets& sets, const FunctionFlows& functions)
      : sets_(sets), functions_(functions) {}

  void add(const Fact& fact, LocationSets::Id labels) {
    if (labels != LocationSets::kEmpty) append(facts_[fact], sets_.at(labels));
  }
  void stop(LocationSets::Id labels) { append(stops_, sets_.at(labels)); }

  // What a call gives to the one who makes it.
  void add(const Seen& seen, const Op& op) {
    add(Token{Token::Kind::op, op.id}, seen.returned);
    stop(seen.stops);
    for (const auto& [path, labels] : seen.memory) {
      const auto here = lint::in_caller(functions_.path(path), *op.as<Call>());
      if (here) add(*here, labels);
    }
  }

  LabelledFacts take() {
    LabelledFacts result;
    for (auto& [fact, labels] : facts_) {
      result.facts.emplace_back(fact, sets_.id_of(std::move(labels)));
    }
    result.stops = sets_.id_of(std::move(stops_));
    return result;
  }

 private:
  LocationSets& sets_;
  const FunctionFlows& functions_;
  std::map<Fact, std::vector<LocationId>> facts_;
  std::vector<LocationId> stops_;
};

ReadFlows::ReadFlows(const Program& program, const ContextEffects& effects,
                     FunctionFlows& functions, std::vector<bool> wanted)
    : program_(program),
      effects_(effects),
      functions_(functions),
      wanted_(std::move(wanted)),
      seen_(program.contexts()) {
  solve();
  functions_.forget_outward();
}

LocationSets::Id ReadFlows::direct_reads(const Place& place) {
  std::vector<LocationId> found;
  for (const auto& [location, effect] : effects_.direct(place)) {
    if (effect.read && wanted_[location]) found.push_back(location);
  }
  return found.empty() ? LocationSets::kEmpty : sets_.id_of(std::move(found));
}

LabelledFacts ReadFlows::read_by(ContextId context, std::span<const uint32_t> ops) {
  Collector found(sets_, functions_);
  for (const uint32_t id : ops) {
    const Place place{context, id};
    found.add(Token{Token::Kind::op, id}, direct_reads(place));
    for (const ContextId callee : program_.callees(place)) {
      found.add(seen_[callee], program_.op(place));
    }
  }
  return found.take();
}

LabelledFacts ReadFlows::in_caller(const LabelledFacts& callee, ContextId context,
                                   const Place& call) {
  Collector found(sets_, functions_);
  found.add(outward(context, callee), program_.op(call));
  return found.take();
}

ReadFlows::Seen ReadFlows::outward(ContextId context, const LabelledFacts& facts) {
  std::vector<LocationId> returned;
  std::vector<LocationId> stops = sets_.at(facts.stops);
  const auto by_path = [&](FunctionFlows::PathNumber a, FunctionFlows::PathNumber b) {
    return functions_.path(a) < functions_.path(b);
  };
  std::map<FunctionFlows::PathNumber, std::vector<LocationId>, decltype(by_path)> memory(by_path);
  for (const auto& [fact, labels] : facts.facts) {
    const FunctionFlows::Outward one = functions_.outward(context, fact);
    if (one.returned) append(returned, sets_.at(labels));
    if (one.stops) append(stops, sets_.at(labels));
    for (const auto path : functions_.memory(one)) append(memory[path], sets_.at(labels));
  }
  Seen seen;
  seen.returned = sets_.id_of(std::move(returned));
  seen.stops = sets_.id_of(std::move(stops));
  for (auto& [path, labels] : memory) {
    seen.memory.emplace_back(path, sets_.id_of(std::move(labels)));
  }
  // What a larger part has says all of a smaller one.
  const auto all = seen.memory;
  std::erase_if(seen.memory, [&](const auto& part) {
    return std::any_of(all.begin(), all.end(), [&](const auto& whole) {
      return whole.first != part.first &&
             covers(functions_.path(whole.first), functions_.path(part.first)) &&
             sets_.includes(whole.second, part.second);
    });
  });
  return seen;
}

ReadFlows::Seen ReadFlows::seen_of(ContextId context) {
  return outward(context, read_by(context, ops_of(program_, context)));
}

// Callees first. Where functions call each other in a circle, one that has not been looked
// at yet adds nothing.
void ReadFlows::solve() {
  std::vector<std::vector<ContextId>> callees(program_.contexts());
  for (const ContextId context : effects_.contexts()) {
    callees[context] = callees_of(program_, context);
  }
  for (const ContextId context : post_order(callees)) {
    if (effects_.of(context).reads()) seen_[context] = seen_of(context);
  }
}

}  // namespace foretrace::lint
