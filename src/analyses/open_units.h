// The units that a thread is in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/hash.h"

namespace foretrace {

// A stack of units that outlives them: the innermost one and, behind it, those
// around it. Stacks share what they have in common, so keeping one is cheap
// however deep units nest (paper 000, chapter 21).
struct UnitStack {
  uint32_t label = 0;
  uint64_t hash = 0;  // of all labels, down to the outermost
  std::shared_ptr<UnitStack> outer;

  UnitStack(uint32_t unit_label, std::shared_ptr<UnitStack> around)
      : label(unit_label),
        hash(mixed((around == nullptr ? 0 : around->hash) + unit_label + 1)),
        outer(std::move(around)) {}
  UnitStack(const UnitStack&) = delete;
  UnitStack& operator=(const UnitStack&) = delete;
  // One after the other: units may nest deeper than the machine's stack is.
  ~UnitStack() {
    std::shared_ptr<UnitStack> next = std::move(outer);
    while (next != nullptr && next.use_count() == 1) next = std::exchange(next->outer, nullptr);
  }
};

class OpenUnits {
 public:
  void begin(uint32_t label, uint64_t index) { units_.push_back({label, index, nullptr}); }
  void end() { units_.pop_back(); }
  size_t depth() const { return units_.size(); }

  // How many of the open units contain this past event of the thread: they are
  // the outermost ones.
  size_t containing(uint64_t index) const {
    const auto later =
        std::lower_bound(units_.begin(), units_.end(), index,
                         [](const Unit& unit, uint64_t event) { return unit.begin < event; });
    return static_cast<size_t>(later - units_.begin());
  }
  // The index of the begin of the open unit with `depth` units around it.
  uint64_t begin_of(size_t depth) const { return units_[depth].begin; }
  bool is_open(uint64_t begin) const {
    const size_t depth = containing(begin);
    return depth < units_.size() && units_[depth].begin == begin;
  }

  // The labels of the outermost `depth` units.
  std::vector<uint32_t> labels(size_t depth) const {
    std::vector<uint32_t> all;
    for (size_t i = 0; i < depth; ++i) all.push_back(units_[i].label);
    return all;
  }

  // The outermost `depth` units; at least one. Each unit's place on the stack is
  // made once.
  std::shared_ptr<UnitStack> outermost(size_t depth) {
    size_t made = depth;
    while (made > 0 && units_[made - 1].stack == nullptr) --made;
    for (; made < depth; ++made) {
      units_[made].stack = std::make_shared<UnitStack>(
          units_[made].label, made == 0 ? nullptr : units_[made - 1].stack);
    }
    return units_[depth - 1].stack;
  }

 private:
  struct Unit {
    uint32_t label;
    uint64_t begin;
    std::shared_ptr<UnitStack> stack;  // null: not asked for yet
  };
  std::vector<Unit> units_;  // outermost first
};

}  // namespace foretrace
