// Where a value goes inside of a function: through its variables, its memory and what it
// gives to library functions, which may be in their results. What one thing's value gets
// to does not depend on what else has a value, so each is followed once, by itself.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lint/program.h"
#include "lint/shape.h"
#include "lint/taint.h"

namespace foretrace::lint {

class FunctionFlows {
 public:
  FunctionFlows(const Program& program, Shapes& shapes) : program_(program), shapes_(shapes) {}

  // Adds all that gets a value from what has one.
  void spread(ContextId context, Taint& taint);
  // Whether a value decides whether the op is done.
  bool decides(ContextId context, uint32_t op, const Taint& taint);

  // What callers get to see of one value.
  struct Outward {
    bool returned = false;
    bool stops = false;
    std::vector<Path> memory;
  };
  const Outward& outward(ContextId context, const Fact& fact);

 private:
  // Contexts of one function differ in which calls lead to a body that is known.
  using Form = std::pair<const Function*, std::vector<bool>>;
  uint32_t form_of(ContextId context);
  bool spread_over(ContextId context, const Op& op, Taint& taint) const;

  const Program& program_;
  Shapes& shapes_;
  std::map<Form, uint32_t> forms_;
  std::unordered_map<ContextId, uint32_t> form_of_;
  std::vector<std::map<Fact, Outward>> outward_;  // by form
};

}  // namespace foretrace::lint
