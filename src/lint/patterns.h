// Patterns of anomalies: which accesses of two blocks that follow each other in one
// thread, and of a block of another thread between them, are an error. All of them,
// the built-in ones too, are written in one notation:
//
//   R(a) !A(b) [w(a) w(b)] R(b) !A(a)
//
// says: the first block reads a and does not access b; another thread's block writes
// both; the second block reads b and does not access a. Letters: R reads, W writes,
// A either; small ones in the brackets, for the other thread; ! is "does not". Names
// stand for variables; different names for different ones. After a colon:
//
//   flow       a value that the first block read (from the variable of its first R)
//              reaches the second block, or decides whether it runs
//   unchecked  and the second block does not check that variable again itself
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "lint/bits.h"

namespace foretrace::lint {

// What two blocks do to one variable, and which blocks of other threads do, by number.
struct VariableUse {
  struct Block {
    bool reads = false;
    bool writes = false;
  };
  Block first;
  Block second;
  Bits read_by;
  Bits written_by;
};

struct PatternTerm {
  bool negated = false;
  bool reads = false;   // counts if the block reads
  bool writes = false;  // or if it writes
  uint32_t name = 0;    // index into the names of the pattern
};

struct Pattern {
  std::vector<PatternTerm> first;
  std::vector<PatternTerm> other;
  std::vector<PatternTerm> second;
  uint32_t names = 0;
  bool needs_flow = false;
  bool unchecked = false;

  // The name whose value may be stale: of the first R of the first block; and the
  // name that the second block acts on: of its first term that is not negated.
  std::optional<uint32_t> source() const;
  uint32_t target() const;
  // Whether the other thread's block has to do something to a variable of these terms.
  bool other_uses(const std::vector<PatternTerm>& terms) const;
};

// "R(a) [w(a)] W(a) : flow". The error names the place in the text.
Result<Pattern> parse_pattern(std::string_view text);

// Calls `found` for each way to put variables (indexes into `uses`) for the names, with
// those of the `others` that can then come in between, until it returns false. Only the
// accesses are looked at, not `flow` and `unchecked`.
using Found = std::function<bool(std::span<const uint32_t> bound, const Bits& between)>;
void match(const Pattern& pattern, std::span<const VariableUse> uses, const Bits& others,
           const Found& found);

// A rule: one or more patterns under a name that users see.
struct PatternRule {
  std::string name;
  std::string summary;
  bool by_default = true;
  std::vector<Pattern> patterns;
};

// All rules: the built-in ones, and what users add.
class PatternRules {
 public:
  PatternRules();  // the built-in ones

  // "NAME = PATTERN". A name that is built in is replaced by the first pattern that is
  // given for it; more patterns of one name are alternatives.
  Result<void> add(std::string_view definition);

  const std::vector<PatternRule>& all() const { return rules_; }
  std::vector<std::string> names() const;

 private:
  std::vector<PatternRule> rules_;
  std::vector<std::string> given_;  // names that users have defined
};

// The table of built-in rules as text, one "NAME = PATTERN" a line: for --help and
// the documentation.
std::string builtin_pattern_text();

}  // namespace foretrace::lint
