// High-level anomalies, chapter 4 of paper 004: two blocks that follow each other in a
// thread and should have been one, because a block of another thread in between
// disturbs what they do together.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include "base/hash.h"
#include "lint/blocks.h"
#include "lint/flows.h"
#include "lint/numbered.h"
#include "lint/pair_variables.h"
#include "lint/partners.h"
#include "lint/patterns.h"
#include "lint/rechecks.h"
#include "lint/waits.h"

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
    BlockRef block;
    LocationId location = 0;
    bool write = false;
  };
  Use first;
  std::vector<Use> between;
  Use second;
};

class AnomalyFinder {
 public:
  AnomalyFinder(const Program& program, const ContextEffects& effects, Shapes& shapes,
                const Blocks& blocks, std::vector<PatternRule> rules, Confidence least);

  // One for each two places of a function that should be one block, with the rule
  // that fits best.
  std::vector<Anomaly> run();

 private:
  struct RulePattern {
    const PatternRule* rule = nullptr;
    const Pattern* pattern = nullptr;
  };
  // A block as a part of a pair, with what does not depend on the other part.
  struct Part : Flows::Part {
    uint32_t number = 0;  // equal for equal ops and kinds of the function
    ContentId content = 0;
    MomentId moment = 0;
  };
  // Two blocks that follow each other.
  struct Pair {
    UnitId unit = 0;
    BlockPair blocks;
    Part first;
    Part second;
    uint32_t others = 0;  // the set of partners that can come between
  };
  // What is found out of a pair when it is looked at more closely.
  struct Closely {
    const PairVariables& variables;
    FlowKind most = FlowKind::none;          // that any flow can be
    std::map<uint32_t, Flows::Reach> reach;  // by source
    std::map<std::pair<uint32_t, bool>, bool> rechecked;
    std::map<uint32_t, Variable> all;  // with all that overlaps them
  };
  // How strong a finding is: confidence, flow, and whether it is overwritten.
  using Strength = std::tuple<Confidence, FlowKind, bool>;
  static Strength strength(const Anomaly& anomaly);

  void look_at(UnitId unit);
  Part part_of(UnitId unit, const BlockPart& part);
  Partners::Around around(UnitId unit, NodeId first, NodeId second) const;
  class OthersBetween;
  void look_at(const Pair& pair, const Bits& fits);
  // The patterns that the accesses of two blocks fit, with such others, by their number: a
  // number for the set of them.
  uint32_t fitting(ContentId first, ContentId second, uint32_t others);
  const PairVariables& variables(ContentId first, ContentId second);
  // The strongest flow that there can be from the first block to the second.
  FlowKind most_flow(const Pair& pair);
  // What a pattern can come to at most, with such a flow; nothing, if it is not reported.
  std::optional<Strength> at_most(bool around_loop, const Pattern& pattern, FlowKind flow) const;
  // The patterns that can still make a difference to what is known of two places, by whether
  // it is around a loop, and by the strongest flow.
  using Worthwhile = std::array<std::array<Bits, 3>, 2>;
  const Worthwhile& worthwhile(UnitId unit, const Part& first, const Part& second);
  static const Bits& of(const Worthwhile& all, bool around_loop, FlowKind flow) {
    return all[around_loop ? 1 : 0][static_cast<size_t>(flow)];
  }
  void evaluate(const Pair& pair, Closely& closely, const RulePattern& one,
                std::span<const uint32_t> bound, const Bits& between);
  const Variable& variable(Closely& closely, uint32_t number);
  FlowKind flow(const Pair& pair, Closely& closely, uint32_t source, uint32_t target);
  bool rechecked(const Pair& pair, Closely& closely, uint32_t source, bool writes);
  using Key = std::tuple<Name, Position, Position>;
  Key key_of(UnitId unit, uint32_t first_op, uint32_t second_op) const;
  void keep(const Pair& pair, Anomaly anomaly);

  const Program& program_;
  const Blocks& blocks_;
  const std::vector<PatternRule> rules_;
  const Confidence least_;
  std::vector<RulePattern> patterns_;
  Overlaps overlaps_;
  Partners partners_;
  VariableFinder finder_;
  Flows flows_;
  Rechecks rechecks_;
  Waits waits_;
  std::map<Key, Anomaly> found_;

  std::map<std::tuple<const LockRegion*, uint32_t, ContentId>, uint32_t> kinds_;
  static constexpr uint32_t kFitsNone = 0;
  Numbered<Bits> sets_of_patterns_;
  tsl::robin_map<std::array<uint32_t, 3>, uint32_t, NumbersHash> fitting_;
  std::pair<ContentId, ContentId> variables_for_ = {UINT32_MAX, UINT32_MAX};
  PairVariables variables_;

  // Of the function whose pairs are looked at: many contexts of it have the same pairs, and
  // many pairs have a part in common.
  struct InFunction {
    Numbered<std::pair<uint32_t, uint32_t>> parts;  // op and kind
    // Both parts, the others, and whether it is around a loop.
    tsl::robin_set<std::array<uint32_t, 3>, NumbersHash> seen;
    tsl::robin_map<std::array<uint32_t, 2>, FlowKind, NumbersHash> most_flow;     // by parts
    tsl::robin_map<std::array<uint32_t, 2>, Worthwhile, NumbersHash> worthwhile;  // by ops
  };
  InFunction in_function_;
};

}  // namespace foretrace::lint
