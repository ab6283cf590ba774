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

  // From reads of `source` in the first block to what the second does with `target`.
  FlowKind between(UnitId unit, const BlockPair& pair, const Variable& source,
                   const Variable& target);

  // Whether the second block acts on the variable only after it has looked at it again.
  bool rechecked(const BlockRef& second, const Variable& variable, bool writes);

 private:
  // Tokens and memory, in the words of one context's function, that have the value.
  struct Taint {
    std::set<Token> tokens;
    std::set<Path> memory;
    size_t changes = 0;  // how often memory has got something new
    bool stops = false;  // what comes later depends on it: an exception in between

    void add(Path path);
    bool has(const Tokens& used) const;
    bool has(const Path& path) const;
    bool has(const Value& value) const;
  };

  Taint seeds(ContextId context, std::span<const uint32_t> ops, const Variable& variable);
  // What has the value in a function that reads the variable somewhere.
  const Taint& tainted_in(ContextId context, const Variable& variable);
  void spread(ContextId context, Taint& taint);
  bool spread_over(ContextId context, const Op& op, Taint& taint);
  // What a caller gets to see of it, and what a callee does.
  Taint to_caller(ContextId callee, const Taint& taint, const Op& call) const;
  static Taint to_callee(const Taint& taint, const Op& call);
  bool guarded(ContextId context, uint32_t op, const Taint& taint);
  FlowKind reaches(const BlockRef& second, const Taint& taint, const Variable& target);

  bool reads(const Place& place, const Variable& variable) const;
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
    std::map<ContextId, Taint> tainted;
    std::map<std::pair<ContextId, bool>, bool> checks;  // by whether it is to be written
  };
  Known& known_of(const Variable& variable);
  Known known_;
};

}  // namespace foretrace::lint
