#include "lint/loops.h"

#include <cstddef>

namespace foretrace::lint {

Loops::Loops(const std::vector<std::vector<uint32_t>>& next) : heads_(next.size()) {
  find_back_edges(next);
  std::vector<std::vector<uint32_t>> before(next.size());
  for (uint32_t node = 0; node < next.size(); ++node) {
    for (const uint32_t to : next[node]) before[to].push_back(node);
  }
  for (const auto& [from, head] : back_edges_) fill(before, head, from);
}

// Edges to a node that is still open in a depth-first search. In graphs that come from
// loops in source code these are just those to a node that dominates.
void Loops::find_back_edges(const std::vector<std::vector<uint32_t>>& next) {
  enum class Color : uint8_t { fresh, open, done };
  std::vector<Color> colors(next.size(), Color::fresh);
  std::vector<std::pair<uint32_t, size_t>> stack;
  if (next.empty()) return;
  stack.emplace_back(0, 0);
  colors[0] = Color::open;
  while (!stack.empty()) {
    const uint32_t node = stack.back().first;
    if (stack.back().second == next[node].size()) {
      colors[node] = Color::done;
      stack.pop_back();
      continue;
    }
    const uint32_t to = next[node][stack.back().second++];
    if (colors[to] == Color::open) back_edges_.insert({node, to});
    if (colors[to] != Color::fresh) continue;
    colors[to] = Color::open;
    stack.emplace_back(to, 0);
  }
}

void Loops::fill(const std::vector<std::vector<uint32_t>>& before, uint32_t head, uint32_t from) {
  heads_[head].insert(head);
  std::vector<uint32_t> work = {from};
  while (!work.empty()) {
    const uint32_t node = work.back();
    work.pop_back();
    if (!heads_[node].insert(head).second) continue;
    work.insert(work.end(), before[node].begin(), before[node].end());
  }
}

std::vector<uint32_t> Loops::left(uint32_t from, uint32_t to) const {
  std::vector<uint32_t> result;
  for (const uint32_t head : heads_[from]) {
    if (!heads_[to].contains(head)) result.push_back(head);
  }
  return result;
}

}  // namespace foretrace::lint
