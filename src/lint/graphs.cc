#include "lint/graphs.h"

namespace foretrace::lint {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

// The graph turned round, with one more node, the end, which all others came to. The end
// is node 0, the others have numbers one higher.
Edges turned_round(const Edges& next) {
  Edges before(next.size() + 1);
  for (uint32_t node = 0; node < next.size(); ++node) {
    for (const uint32_t to : next[node]) before[to + 1].push_back(node + 1);
  }
  std::vector<bool> is_in(next.size(), false);
  for_each_component(next, [&](std::span<const uint32_t> nodes) {
    for (const uint32_t node : nodes) is_in[node] = true;
    const bool is_left = std::any_of(nodes.begin(), nodes.end(), [&](uint32_t node) {
      return std::any_of(next[node].begin(), next[node].end(),
                         [&](uint32_t to) { return !is_in[to]; });
    });
    for (const uint32_t node : nodes) is_in[node] = false;
    if (!is_left) before[0].push_back(*std::min_element(nodes.begin(), nodes.end()) + 1);
  });
  return before;
}

// For each node but 0, the last one before it that every way from 0 to it passes (Cooper,
// Harvey, Kennedy: "A Simple, Fast Dominance Algorithm").
std::vector<uint32_t> dominators(const Edges& next) {
  Edges before(next.size());
  for (uint32_t node = 0; node < next.size(); ++node) {
    for (const uint32_t to : next[node]) before[to].push_back(node);
  }
  const std::vector<uint32_t> order = post_order(next);
  std::vector<uint32_t> rank(next.size());
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  constexpr uint32_t kUnknown = UINT32_MAX;
  std::vector<uint32_t> found(next.size(), kUnknown);
  found[0] = 0;
  const auto common = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      if (rank[a] > rank[b]) std::swap(a, b);
      a = found[a];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (*node == 0) continue;
      uint32_t last = kUnknown;
      for (const uint32_t from : before[*node]) {
        if (found[from] != kUnknown) last = last == kUnknown ? from : common(last, from);
      }
      changed = changed || found[*node] != last;
      found[*node] = last;
    }
  }
  return found;
}

}  // namespace

Edges deciders(const Edges& next) {
  const std::vector<uint32_t> passes = dominators(turned_round(next));
  Edges direct(next.size());
  for (uint32_t node = 0; node < next.size(); ++node) {
    if (next[node].size() < 2) continue;
    for (const uint32_t side : next[node]) {
      for (uint32_t at = side + 1; at != passes[node + 1]; at = passes[at]) {
        direct[at - 1].push_back(node);
      }
    }
  }
  Edges all(next.size());
  for (uint32_t node = 0; node < next.size(); ++node) {
    if (direct[node].empty()) continue;
    const std::vector<bool> decides = reached_from(direct[node], direct);
    for (uint32_t other = 0; other < next.size(); ++other) {
      if (decides[other]) all[node].push_back(other);
    }
  }
  return all;
}

}  // namespace foretrace::lint
