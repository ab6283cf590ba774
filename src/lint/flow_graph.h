// Which ops of a function come before which, on every way through it.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lint/summary.h"

namespace foretrace::lint {

class FlowGraph {
 public:
  explicit FlowGraph(const Function& function);

  const std::vector<std::vector<uint32_t>>& next() const { return next_; }
  uint32_t block_of(uint32_t op) const { return at_.at(op).block; }
  // Whether the two are in one block, in this order.
  bool in_order(uint32_t first, uint32_t second) const;
  // Blocks that are only come to through one of these, without these themselves.
  std::vector<bool> only_through(const std::vector<bool>& blocks) const;
  // Whether every way through the function does the op. Exceptions are no way.
  bool always_done(uint32_t op) const;
  // Whether every way from the first op leads to the second, and none from the second to the
  // first.
  bool always_before(uint32_t first, uint32_t second) const;

 private:
  struct At {
    uint32_t block = 0;
    uint32_t index = 0;
  };
  // From these blocks on, those that can be come to without going through `without`.
  std::vector<bool> reached(std::vector<uint32_t> from, const std::vector<bool>& without) const;
  bool can_end(const std::vector<bool>& reached) const;

  const Function& function_;
  std::vector<std::vector<uint32_t>> next_;
  std::unordered_map<uint32_t, At> at_;
};

}  // namespace foretrace::lint
