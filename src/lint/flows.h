// Stale values: whether what a block has read reaches a later block of the thread, or
// decides whether that runs.
//
// Values are followed through locals (the front end's tokens), results and arguments of
// calls, and memory that is not shared, by the name that the function has for it. Order
// inside of a function is not looked at, and what a library function is given counts as being in
// its result. So a flow may be reported that is not there; it only raises the confidence of a
// finding that is there anyway, or makes one of a pattern that asks for it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lint/blocks.h"
#include "lint/overlaps.h"
#include "lint/read_flows.h"

namespace foretrace::lint {

enum class FlowKind : uint8_t { none, guard, data };

class Flows {
 public:
  // Only values of locations that are `wanted` are followed.
  Flows(const Program& program, const ContextEffects& effects, Shapes& shapes, const Blocks& blocks,
        std::vector<bool> wanted);

  // Where values get to in a block.
  struct Reach {
    std::vector<uint32_t> data;     // ops that get one; sorted
    std::vector<uint32_t> guarded;  // ops of which one decides whether they are done
    bool decides = false;           // one decides whether the block is done
    bool empty() const { return data.empty() && guarded.empty() && !decides; }
    FlowKind most() const;  // to whatever the ops do
    void add(const Reach& more);
  };

  // A block as a part of a pair. Those with equal ops and kinds do the same.
  struct Part {
    uint32_t op = 0;  // of the unit's function, by which it comes to the block
    uint32_t kind = 0;
    const BlockPart* block = nullptr;
  };

  // Pairs of another function come next: what was found of the last one is forgotten.
  void next_function() { in_function_ = {}; }
  // Where the values of a variable that the first block read get to in the second.
  // Without a variable: all values.
  Reach between(UnitId unit, const Part& first, const Part& second, const Variable* source);
  // Whether it gets to what the second block does with the variable.
  FlowKind to(const BlockRef& second, const Reach& reach, const Variable& target) const;

 private:
  // What one value in the function that puts two blocks together comes to on the way to
  // the second one.
  struct Passed {
    std::vector<Fact> facts;  // in the words of the one that has the block, or is called
    bool decides = false;
  };

  const LabelledFacts& from_first(UnitId unit, const Part& first);
  const Passed& passed_on(UnitId unit, const Part& second, const Fact& fact);
  const Reach& in_second(UnitId unit, const Part& second, const Fact& passed);
  const Reach& reach_of(UnitId unit, const Part& second, const Fact& fact);
  // The ops of a block that have a value anew, if the block reads it.
  Anew anew_in(const BlockRef& second, const Fact& fact);
  Reach reach(const BlockRef& second, Taint& taint, const Anew& anew);

  const Program& program_;
  const ContextEffects& effects_;
  Shapes& shapes_;
  const Blocks& blocks_;
  FunctionFlows functions_;
  ReadFlows reads_;

  // Of the function whose pairs are looked at: many contexts of it have the same pairs, and
  // many pairs have a part in common.
  struct InFunction {
    using Second = std::tuple<uint32_t, uint32_t, Fact>;                // op and kind
    std::map<std::pair<uint32_t, uint32_t>, LabelledFacts> from_first;  // by op and kind
    std::map<std::pair<uint32_t, Fact>, Passed> passed_on;              // by second op
    std::map<Second, Reach> in_second;
    std::map<Second, Reach> reach;
  };
  InFunction in_function_;
};

}  // namespace foretrace::lint
