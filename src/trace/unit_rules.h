// Which units count: what the user says about labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/batch.h"
#include "trace/symbols.h"

namespace foretrace {

// A file of rules, one a line; # starts a comment. `atomic PATTERN…` says that
// units with such a label should be atomic, `not PATTERN…` that they need not be;
// patterns know * and ?. Of several rules that match a label the last one counts.
// A label that none matches should be atomic.
class UnitRules {
 public:
  static Result<UnitRules> read(const std::string& path);
  static Result<UnitRules> parse(std::string_view name, std::string_view content);

  bool is_atomic(std::string_view label) const;

 private:
  struct Rule {
    std::string pattern;
    bool atomic;
  };
  std::vector<Rule> rules_;
};

// Takes the begins and ends of units that need not be atomic out of a trace: they
// become Op::skip, so that indexes stay what they are.
class UnitFilter {
 public:
  UnitFilter(const Symbols& symbols, UnitRules rules)
      : symbols_(symbols), rules_(std::move(rules)) {}

  void apply(EventBuffer& buffer);

 private:
  enum class Known : uint8_t { nothing, atomic, not_atomic };
  bool is_atomic(uint32_t label);

  const Symbols& symbols_;
  const UnitRules rules_;
  std::vector<Known> labels_;
};

}  // namespace foretrace
