// The loops of a control flow graph.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace foretrace::lint {

// Natural loops: a back edge goes to a node that every way to its source passes; the
// loop is what can reach that source without the head. Graphs that jump into the middle
// of a loop have edges back in a search from the entry instead, with the same meaning.
class Loops {
 public:
  // Node 0 is the entry.
  explicit Loops(const std::vector<std::vector<uint32_t>>& next);

  bool is_back_edge(uint32_t from, uint32_t to) const { return back_edges_.contains({from, to}); }
  // The heads of the loops that the edge leaves.
  std::vector<uint32_t> left(uint32_t from, uint32_t to) const;
  bool in_loop(uint32_t node) const { return !heads_[node].empty(); }
  // The heads of the loops that it is in.
  const std::set<uint32_t>& heads(uint32_t node) const { return heads_[node]; }

 private:
  void find_back_edges(const std::vector<std::vector<uint32_t>>& next);
  void fill(const std::vector<std::vector<uint32_t>>& before, uint32_t head, uint32_t from);

  std::set<std::pair<uint32_t, uint32_t>> back_edges_;
  std::vector<std::set<uint32_t>> heads_;  // by node: of the loops that it is in
};

}  // namespace foretrace::lint
