// High-level anomalies, chapter 4 of paper 004: two blocks that follow each other in a
// thread and should have been one, because a block of another thread in between
// disturbs what they do together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "lint/blocks.h"
#include "lint/flows.h"
#include "lint/patterns.h"

namespace foretrace::lint {

enum class Confidence : uint8_t {
  low,     // only from one round of a loop to the next, and no value is carried over
  normal,  // the accesses fit a pattern
  high,    // and a value of the first block reaches the second, or decides whether it runs
};
const char* name_of(Confidence confidence);

struct Anomaly {
  std::vector<std::string> rules;  // the one to report first
  Confidence confidence = Confidence::normal;
  FlowKind flow = FlowKind::none;
  UnitId unit = 0;  // the caller to blame
  BlockPair pair;
  BlockRef other;
  // The accesses: of the first block, of the other thread (of what the first block
  // accessed, and of what the second does), and of the second block.
  struct Use {
    Place place;
    LocationId location = 0;
    bool write = false;
  };
  Use first;
  std::vector<Use> between;
  Use second;
};

class AnomalyFinder {
 public:
  AnomalyFinder(const Program& program, const Blocks& blocks, Flows& flows,
                std::vector<PatternRule> rules, Confidence least);

  // One for each two places of a function that should be one block, with the rule
  // that fits best.
  std::vector<Anomaly> run();

 private:
  struct Candidate;
  void index_blocks();
  std::vector<BlockRef> partners(const Effects& first, const Effects& second) const;
  void look_at(UnitId unit, const BlockPair& pair);
  bool can_come_between(UnitId unit, const BlockPair& pair, const BlockRef& other) const;
  void compare(UnitId unit, const BlockPair& pair, const std::vector<Variable>& variables,
               const BlockRef& other);
  std::vector<Variable> variables_of(const Effects& first, const Effects& second) const;
  VariableUse use_of(const Variable& variable, const Effects& first, const Effects& other,
                     const Effects& second) const;
  void keep(Anomaly anomaly);

  const Program& program_;
  const Blocks& blocks_;
  Flows& flows_;
  const std::vector<PatternRule> rules_;
  const Confidence least_;
  // Blocks by what they touch: a location or something inside of it; and those that
  // touch objects that are not known more closely than by their type.
  std::map<LocationId, std::vector<BlockRef>> touching_;
  std::vector<BlockRef> vague_;
  using Key = std::tuple<Name, Position, Position>;
  std::map<Key, Anomaly> found_;
};

}  // namespace foretrace::lint
