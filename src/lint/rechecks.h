// Whether a block looks at a variable again before it acts: the double-check idiom.
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

class Rechecks {
 public:
  Rechecks(const Program& program, const ContextEffects& effects, Shapes& shapes,
           const Blocks& blocks)
      : program_(program), effects_(effects), shapes_(shapes), blocks_(blocks) {}

  // Whether the block acts on the variable (writes it, or reads it) only after it has
  // looked at it again.
  bool before_acting(const BlockRef& block, const Variable& variable, bool writes);

 private:
  bool reads(const Place& place, const Variable& variable) const;
  bool writes(const Place& place, const Variable& variable) const;
  bool predicate_reads(ContextId context, const LockRegion& region, const Variable& variable);
  bool waits_for(const Place& call, const Variable& variable) const;
  bool checks_before_acting(ContextId context, std::span<const uint32_t> ops, uint32_t begin,
                            const Variable& variable, bool writes);
  bool callee_checks(ContextId callee, const Variable& variable, bool writes);

  const Program& program_;
  const ContextEffects& effects_;
  Shapes& shapes_;
  const Blocks& blocks_;
  // Calls on the way down, so that recursion ends.
  std::set<ContextId> open_;
  // What was found of functions for the variable that was asked for last: many calls lead
  // to one function. By whether it is to be written.
  using Known = std::map<std::pair<ContextId, bool>, bool>;
  Known& known_for(const Variable& variable);
  std::vector<LocationId> known_variable_;
  Known known_;
};

}  // namespace foretrace::lint
