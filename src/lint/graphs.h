// Graphs whose nodes are numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace foretrace::lint {

// The nodes, each after those that it leads to, but for cycles.
inline std::vector<uint32_t> post_order(const std::vector<std::vector<uint32_t>>& next) {
  std::vector<bool> seen(next.size(), false);
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> open;  // and the next of its edges
  for (uint32_t root = 0; root < next.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    open.emplace_back(root, 0);
    while (!open.empty()) {
      auto& [node, edge] = open.back();
      if (edge == next[node].size()) {
        order.push_back(node);
        open.pop_back();
        continue;
      }
      const uint32_t to = next[node][edge++];
      if (seen[to]) continue;
      seen[to] = true;
      open.emplace_back(to, 0);
    }
  }
  return order;
}

// Calls visit(nodes) for each set of nodes that lead to each other, those that a set leads to
// before it (Tarjan).
template <typename Visit>
void for_each_component(const std::vector<std::vector<uint32_t>>& next, const Visit& visit) {
  constexpr uint32_t kDone = UINT32_MAX;
  std::vector<uint32_t> low(next.size(), 0);  // the first of the open ones that it leads to
  uint32_t count = 0;
  std::vector<uint32_t> waiting;                  // nodes without a component yet
  std::vector<std::pair<uint32_t, size_t>> open;  // and the next of its edges
  std::vector<uint32_t> number(next.size(), 0);
  const auto enter = [&](uint32_t node) {
    low[node] = number[node] = ++count;
    waiting.push_back(node);
    open.emplace_back(node, 0);
  };
  for (uint32_t root = 0; root < next.size(); ++root) {
    if (number[root] == 0) enter(root);
    while (!open.empty()) {
      auto& [node, edge] = open.back();
      if (edge < next[node].size()) {
        const uint32_t to = next[node][edge++];
        if (number[to] == 0) {
          enter(to);
        } else {
          low[node] = std::min(low[node], low[to]);
        }
        continue;
      }
      const uint32_t done = node;
      open.pop_back();
      if (!open.empty()) low[open.back().first] = std::min(low[open.back().first], low[done]);
      if (low[done] != number[done]) continue;
      auto first = waiting.end();
      do {
        low[*--first] = kDone;
      } while (*first != done);
      visit(std::span<const uint32_t>(first, waiting.end()));
      waiting.erase(first, waiting.end());
    }
  }
}

// Whether each node is one of `starts`, or one of them leads to it.
inline std::vector<bool> reached_from(std::vector<uint32_t> starts,
                                      const std::vector<std::vector<uint32_t>>& next) {
  std::vector<bool> reached(next.size(), false);
  while (!starts.empty()) {
    const uint32_t node = starts.back();
    starts.pop_back();
    if (reached[node]) continue;
    reached[node] = true;
    starts.insert(starts.end(), next[node].begin(), next[node].end());
  }
  return reached;
}

// For each node, those nodes that lead to it one way and can do without it another way
// (Ferrante, Ottenstein, Warren), directly or by deciding about such a node; in order.
// Node 0 is the entry. A cycle that leads nowhere else could
// be left at its first node.
std::vector<std::vector<uint32_t>> deciders(const std::vector<std::vector<uint32_t>>& next);

}  // namespace foretrace::lint
