// High-level anomalies, chapter 4 of paper 004: two blocks that follow each other in a
// thread and should have been one, because a block of another thread in between
// disturbs what they do together.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
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
  struct Partner {
    BlockRef block;
    Place begin;
    std::vector<HeldLock> locks;
  };
  // Two blocks that follow each other, and their variables.
  struct Pair {
    UnitId unit = 0;
    const BlockPair* blocks = nullptr;
    std::vector<HeldLock> around;  // held from the first to the second
    std::vector<Variable> variables;
    std::vector<VariableUse> uses;  // by variable; `other` is filled in for each partner
    std::vector<std::pair<LocationId, uint32_t>> variable_at;  // sorted; all that overlap it
    std::map<std::pair<uint32_t, uint32_t>, FlowKind> flows;   // from source to target
    std::map<std::pair<uint32_t, bool>, bool> rechecked;
  };
  using OtherUses = std::vector<std::tuple<uint32_t, bool, bool>>;  // variable, reads, writes

  void index_blocks();
  void look_at(UnitId unit, const BlockPair& blocks);
  void find_variables(Pair& pair, const Effects& first, const Effects& second);
  // Blocks that have anything in common with the two, by their number.
  std::vector<uint32_t> partners(const Pair& pair) const;
  static OtherUses uses_of(const Pair& pair, const Effects& effects);
  bool can_come_between(const Pair& pair, const Partner& other) const;
  void compare(Pair& pair, const BlockRef& other);
  void evaluate(Pair& pair, const BlockRef& other, const PatternRule& rule, const Pattern& pattern,
                std::span<const uint32_t> bound);
  FlowKind flow(Pair& pair, uint32_t source, uint32_t target);
  bool rechecked(Pair& pair, uint32_t source, bool writes);
  using Key = std::tuple<Name, Position, Position>;
  Key key_of(UnitId unit, const BlockPair& pair) const;
  bool is_settled(const Pair& pair, const PatternRule& rule) const;
  void keep(Anomaly anomaly);

  const Program& program_;
  const Blocks& blocks_;
  Flows& flows_;
  const std::vector<PatternRule> rules_;
  const Confidence least_;
  Overlaps overlaps_;
  std::vector<Partner> partners_;
  std::unordered_map<LocationId, std::vector<uint32_t>> touching_;  // numbers of partners
  std::map<Key, Anomaly> found_;
};

}  // namespace foretrace::lint
