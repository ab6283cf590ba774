// Where the values of memory go that functions read. They are followed for all locations at
// once: each thing that has a value is labelled with the locations that it may come from.
// A function's result is found from those of the functions that it calls, so that nothing
// is followed twice.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "lint/context_effects.h"
#include "lint/function_flows.h"
#include "lint/location_sets.h"

namespace foretrace::lint {

// What has values in a function, and of which locations.
struct LabelledFacts {
  std::vector<std::pair<Fact, LocationSets::Id>> facts;
  LocationSets::Id stops = LocationSets::kEmpty;  // see Taint::stops
};

class ReadFlows {
 public:
  // Only locations that are `wanted` are followed.
  ReadFlows(const Program& program, const ContextEffects& effects, FunctionFlows& functions,
            std::vector<bool> wanted);

  const LocationSets& sets() const { return sets_; }
  // What the ops of a context have read, in the words of its function.
  LabelledFacts read_by(ContextId context, std::span<const uint32_t> ops);
  // The same one call further up.
  LabelledFacts in_caller(const LabelledFacts& callee, ContextId context, const Place& call);

 private:
  // What callers get to see.
  struct Seen {
    LocationSets::Id returned = LocationSets::kEmpty;
    LocationSets::Id stops = LocationSets::kEmpty;
    std::vector<std::pair<FunctionFlows::PathNumber, LocationSets::Id>> memory;  // by path
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  class Collector;

  void solve();
  Seen seen_of(ContextId context);
  Seen outward(ContextId context, const LabelledFacts& facts);
  LocationSets::Id direct_reads(const Place& place);

  const Program& program_;
  const ContextEffects& effects_;
  FunctionFlows& functions_;
  std::vector<bool> wanted_;  // by location
  LocationSets sets_;
  std::vector<Seen> seen_;  // by context
};

}  // namespace foretrace::lint
