// The contexts that the calls of one context lead to: two flat lists, as there are very many.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrace::lint {

class Calls {
 public:
  using ContextId = uint32_t;

  // In the order in which they were given.
  std::span<const ContextId> of(uint32_t op) const {
    const auto [begin, end] = range(op);
    return std::span(callees_).subspan(begin, end - begin);
  }
  const std::vector<ContextId>& all() const { return callees_; }
  // The op that all()[i] belongs to. Those of one op are neighbours.
  uint32_t op_of(size_t i) const { return ops_[i]; }

  // True if it is another list than before.
  bool set(uint32_t op, const std::vector<ContextId>& callees) {
    const auto [begin, end] = range(op);
    if (std::ranges::equal(of(op), callees)) return false;
    const auto at = [](auto& list, size_t i) {
      return list.begin() + static_cast<std::ptrdiff_t>(i);
    };
    ops_.erase(at(ops_, begin), at(ops_, end));
    callees_.erase(at(callees_, begin), at(callees_, end));
    ops_.insert(at(ops_, begin), callees.size(), op);
    callees_.insert(at(callees_, begin), callees.begin(), callees.end());
    return true;
  }

  // Contexts have other numbers from now on.
  void renumber(const std::vector<ContextId>& numbers) {
    for (ContextId& callee : callees_) callee = numbers[callee];
    ops_.shrink_to_fit();
    callees_.shrink_to_fit();
  }

 private:
  std::pair<size_t, size_t> range(uint32_t op) const {
    const auto found = std::equal_range(ops_.begin(), ops_.end(), op);
    return {found.first - ops_.begin(), found.second - ops_.begin()};
  }

  std::vector<uint32_t> ops_;  // sorted
  std::vector<ContextId> callees_;
};

}  // namespace foretrace::lint
