// Stale values: whether what a block has read reaches a later block of the thread, or
// decides whether that runs; and whether the later block checks it again.
//
// Values are followed through locals (the front end's tokens), results and arguments of
// calls, and memory by the name that the function has for it. Order inside of a
// function is not looked at, and what a library function is given counts as being in its
// result. So a flow may be reported that is not there; it only raises the confidence of
// a finding that is there anyway, or makes one of a pattern that asks for it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "lint/blocks.h"
#include "lint/overlaps.h"

namespace foretrace::lint {

enum class FlowKind : uint8_t { none, guard, data };

class Flows {
 public:
  Flows(const Program& program, const ContextEffects& effects, Shapes& shapes,
        const Blocks& blocks);

  // Tokens and memory, in the words of one context's function, that have a value.
  struct Taint {
    std::set<Token> tokens;
    std::set<Path> memory;
    size_t changes = 0;  // how often memory has got something new
    bool stops = false;  // what comes later depends on it: an exception in between

    void add(Path path);
    bool has(const Tokens& used) const;
    bool has(const Path& path) const;
    bool has(const Value& value) const;
    bool empty() const { return tokens.empty() && memory.empty() && !stops; }
    friend bool operator<(const Taint& a, const Taint& b) {
      return std::tie(a.tokens, a.memory, a.stops) < std::tie(b.tokens, b.memory, b.stops);
    }
  };
  // Where values get to in a block.
  struct Reach {
    std::vector<uint32_t> data;     // ops that get one
    std::vector<uint32_t> guarded;  // ops of which one decides whether they are done
    bool decides = false;           // one decides whether the block is done
    bool empty() const { return data.empty() && guarded.empty() && !decides; }
    FlowKind most() const;  // to whatever the ops do
  };

  // What has a value that the first block read, in the function that puts the two blocks
  // together. Without a variable: any value at all.
  Taint from_first(UnitId unit, const BlockPart& first, const Variable* source);
  // Where it gets to from there. In two steps, of which the second one only depends on
  // what the unit passes on (or, if the block is its own, on all that it has).
  Taint passed_on(UnitId unit, const BlockPart& second, Taint taint);
  Reach in_second(UnitId unit, const BlockPart& second, Taint passed);
  // Whether it gets to what the second block does with the variable.
  FlowKind to(const BlockRef& second, const Reach& reach, const Variable& target) const;

  // Whether the second block acts on the variable only after it has looked at it again.
  bool rechecked(const BlockRef& second, const Variable& variable, bool writes);

 private:
  // What callers get to see of it.
  struct Outward {
    bool returned = false;
    bool stops = false;
    std::vector<Path> memory;
  };

  Taint seeds(ContextId context, std::span<const uint32_t> ops, const Variable* variable);
  // What a function has for its callers that reads the variable somewhere.
  const Outward& read_in(ContextId context, const Variable* variable);
  void spread(ContextId context, Taint& taint);
  bool spread_over(ContextId context, const Op& op, Taint& taint);
  Outward outward(ContextId context, const Taint& taint) const;
  static void to_caller(const Outward& seen, const Op& call, Taint& taint);
  static Taint to_callee(const Taint& taint, const Op& call);
  bool guarded(ContextId context, uint32_t op, const Taint& taint);
  Reach reach(const BlockRef& second, const Taint& taint);

  bool reads(const Place& place, const Variable* variable) const;
  bool writes(const Place& place, const Variable& variable) const;
  std::vector<uint32_t> all_ops(ContextId context);
  bool predicate_reads(ContextId context, const LockRegion& region, const Variable& variable);
  bool checks_before_acting(ContextId context, std::span<const uint32_t> ops, uint32_t begin,
                            const Variable& variable, bool writes);
  bool callee_checks(ContextId callee, const Variable& variable, bool writes);

  const Program& program_;
  const ContextEffects& effects_;
  Shapes& shapes_;
  const Blocks& blocks_;
  // Calls on the way down, so that recursion ends: a function that is being looked at
  // adds nothing to itself.
  std::set<ContextId> open_;
  // What was found of functions for the variable that was asked for last: many calls
  // lead to one function, and many pairs are about one variable.
  struct Known {
    std::vector<LocationId> variable;
    std::map<ContextId, Outward> read;
    std::map<std::pair<ContextId, bool>, bool> checks;  // by whether it is to be written
  };
  Known& known_of(const Variable* variable);
  Known known_;
  Known known_of_any_;
};

}  // namespace foretrace::lint
