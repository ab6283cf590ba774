#include "lint/flow_graph.h"

#include "lint/graphs.h"

namespace foretrace::lint {

FlowGraph::FlowGraph(const Function& function) : function_(function) {
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    next_.push_back(function.blocks[block].next);
    for (uint32_t i = 0; i < function.blocks[block].ops.size(); ++i) {
      at_[function.blocks[block].ops[i].id] = {block, i};
    }
  }
}

bool FlowGraph::in_order(uint32_t first, uint32_t second) const {
  const At& one = at_.at(first);
  const At& other = at_.at(second);
  return one.block == other.block && one.index < other.index;
}

std::vector<bool> FlowGraph::reached(std::vector<uint32_t> from,
                                     const std::vector<bool>& without) const {
  std::vector<std::vector<uint32_t>> edges = next_;
  for (size_t block = 0; block < edges.size(); ++block) {
    std::erase_if(edges[block], [&](uint32_t to) { return without[to]; });
  }
  std::erase_if(from, [&](uint32_t block) { return without[block]; });
  return reached_from(std::move(from), edges);
}

std::vector<bool> FlowGraph::only_through(const std::vector<bool>& blocks) const {
  std::vector<bool> found = reached({0}, blocks);
  for (size_t block = 0; block < found.size(); ++block)
    found[block] = !found[block] && !blocks[block];
  return found;
}

bool FlowGraph::can_end(const std::vector<bool>& reached) const {
  for (size_t block = 0; block < reached.size(); ++block) {
    if (reached[block] && next_[block].empty() && !function_.blocks[block].throws) return true;
  }
  return false;
}

bool FlowGraph::always_done(uint32_t op) const {
  std::vector<bool> without(next_.size(), false);
  without[block_of(op)] = true;
  return !can_end(reached({0}, without));
}

bool FlowGraph::always_before(uint32_t first, uint32_t second) const {
  const std::vector<bool> everywhere(next_.size(), false);
  if (reached(next_[block_of(second)], everywhere)[block_of(first)]) return false;
  if (block_of(first) == block_of(second)) return in_order(first, second);
  std::vector<bool> without(next_.size(), false);
  without[block_of(second)] = true;
  return !can_end(reached(next_[block_of(first)], without));
}

}  // namespace foretrace::lint
