// Where a value goes inside of a function: through its variables, its memory and what it
// gives to library functions, which may be in their results. What one thing's value gets
// to does not depend on what else has a value, so each is followed once, by itself.
//
// Not through shared memory: who reads that looks again.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "base/hash.h"
#include "lint/context_effects.h"
#include "lint/numbered.h"
#include "lint/program.h"
#include "lint/shape.h"
#include "lint/taint.h"

namespace foretrace::lint {

class FunctionFlows {
 public:
  FunctionFlows(const Program& program, const ContextEffects& effects, Shapes& shapes)
      : program_(program), effects_(effects), shapes_(shapes) {}

  // Adds all that gets a value from what has one.
  void spread(ContextId context, Taint& taint, const Anew& anew = {});
  // Whether a value decides whether the op is done.
  bool decides(ContextId context, uint32_t op, const Taint& taint);

  // What callers get to see of one value. Very many are kept: their memory is the numbers
  // of paths, in the paths' order, and the number of the list of these.
  using PathNumber = Numbered<Path>::Number;
  using PathNumbers = std::vector<PathNumber>;
  struct Outward {
    Numbered<PathNumbers>::Number memory = 0;
    bool returned = false;
    bool stops = false;
  };
  Outward outward(ContextId context, const Fact& fact);
  const PathNumbers& memory(const Outward& outward) const { return lists_.at(outward.memory); }
  const Path& path(PathNumber number) const { return paths_.at(number); }
  // What is known so far takes much memory, and few of it may be asked for again.
  void forget_outward() { outward_ = {}; }

 private:
  // Contexts of one function differ in which calls lead to a body that is known, and in
  // which ops write shared memory.
  using Form = std::pair<const Function*, std::vector<bool>>;
  uint32_t form_of(ContextId context);
  bool spread_over(ContextId context, const Op& op, Taint& taint) const;
  bool writes_shared(ContextId context, const Op& op) const;
  Outward find_outward(ContextId context, const Fact& fact);

  const Program& program_;
  const ContextEffects& effects_;
  Shapes& shapes_;
  std::map<Form, uint32_t> forms_;
  std::unordered_map<ContextId, uint32_t> form_of_;
  Numbered<Fact> facts_;
  Numbered<Path> paths_;
  Numbered<PathNumbers> lists_;
  tsl::robin_map<uint64_t, Outward, IntegerHash> outward_;  // by form and number of the fact
};

}  // namespace foretrace::lint
