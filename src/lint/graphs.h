// Walks through graphs whose nodes are numbers.
#pragma once

#include <cstdint>
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

}  // namespace foretrace::lint
