#include "analyses/serializability/unit_graph.h"

#include <algorithm>

namespace foretrace::serializability {

NodeId UnitGraph::new_node() {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.emplace_back();
  }
  const uint32_t place = free_.back();
  free_.pop_back();
  return {place, nodes_[place].generation};
}

void UnitGraph::remove(uint32_t place) {
  Node& node = nodes_[place];
  ++node.generation;
  node.ancestors.clear();
  node.marked = false;
  free_.push_back(place);
}

void UnitGraph::gain(NodeId id, uint32_t slot) {
  nodes_[id.place].ancestors.add(slot);
  units_[slot].reached.push_back(id);
}

NodeId UnitGraph::begin_unit(ThreadId thread, NodeId previous) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(units_.size()));
    units_.emplace_back();
  }
  const uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  const NodeId id = new_node();
  units_[slot].node = id;
  units_[slot].thread = thread;
  nodes_[id.place].slot = slot;
  nodes_[id.place].ancestors.add(slot);
  if (is_live(previous)) {
    nodes_[previous.place].ancestors.for_each([&](uint32_t ancestor) { gain(id, ancestor); });
  }
  return id;
}

void UnitGraph::end_unit(NodeId id) {
  Node& node = nodes_[id.place];
  const uint32_t slot = node.slot;
  OpenUnit& unit = units_[slot];
  for (const NodeId reached : unit.reached) {
    if (!is_live(reached)) continue;
    Node& other = nodes_[reached.place];
    other.ancestors.remove(slot);
    if (other.slot == kClosed && other.ancestors.empty()) remove(reached.place);
  }
  node.slot = kClosed;
  node.ancestors.remove(slot);
  if (node.ancestors.empty()) remove(id.place);
  unit.reached.clear();
  unit.entries.clear();
  free_slots_.push_back(slot);
}

void UnitGraph::add_to_unit(const Occurrence& from, const Occurrence& to) {
  const uint32_t slot = nodes_[to.node.place].slot;
  gained_.clear();
  nodes_[from.node.place].ancestors.for_each_not_in(
      nodes_[to.node.place].ancestors, [&](uint32_t ancestor) { gained_.push_back(ancestor); });
  for (const uint32_t ancestor : gained_) {
    enter(units_[ancestor], to.thread, {from, to});
    gain_with_reached(slot, ancestor);
  }
}

NodeId UnitGraph::add_outside(const Occurrence& from, const Occurrence& to, bool fresh) {
  const bool live = is_live(to.node);
  static const SlotSet kNone;
  gained_.clear();
  nodes_[from.node.place].ancestors.for_each_not_in(
      live ? nodes_[to.node.place].ancestors : kNone,
      [&](uint32_t ancestor) { gained_.push_back(ancestor); });
  if (gained_.empty()) return to.node;
  NodeId node = to.node;
  if (!live || !fresh) {
    // Earlier events of the thread do not come after `from`: they keep their node.
    node = new_node();
    if (live) {
      nodes_[to.node.place].ancestors.for_each([&](uint32_t ancestor) { gain(node, ancestor); });
    }
  }
  for (const uint32_t ancestor : gained_) {
    gain(node, ancestor);
    enter(units_[ancestor], to.thread, {from, to});
  }
  return node;
}

// `unit` and all that it reaches come after `ancestor`, too.
void UnitGraph::gain_with_reached(uint32_t unit, uint32_t ancestor) {
  gain(units_[unit].node, ancestor);
  for (const NodeId reached : units_[unit].reached) {
    if (is_live(reached) && !nodes_[reached.place].ancestors.has(ancestor)) gain(reached, ancestor);
  }
  for (const Entry& entry : units_[unit].entries) {
    enter(units_[ancestor], entry.thread, entry.edge);
  }
}

// Of two ways into a thread, the one that comes first there.
void UnitGraph::enter(OpenUnit& ancestor, ThreadId thread, const Edge& edge) {
  if (thread == ancestor.thread) return;
  const auto place = find(ancestor.entries, thread);
  if (place == ancestor.entries.end() || place->thread != thread) {
    ancestor.entries.insert(place, {thread, edge});
  } else if (edge.to.index < place->edge.to.index) {
    place->edge = edge;
  }
}

std::vector<UnitGraph::Entry>::iterator UnitGraph::find(std::vector<Entry>& entries,
                                                        ThreadId thread) {
  return std::lower_bound(
      entries.begin(), entries.end(), thread,
      [](const Entry& entry, ThreadId wanted) { return entry.thread < wanted; });
}

// From the closing edge back to the unit. Each step goes to a node that comes
// before in a graph without cycles, so this ends.
Cycle UnitGraph::cycle(const Occurrence& from, const Occurrence& to) {
  OpenUnit& unit = units_[nodes_[to.node.place].slot];
  Cycle cycle = {{from, to}};
  for (ThreadId thread = from.thread; thread != unit.thread;) {
    cycle.push_back(find(unit.entries, thread)->edge);
    thread = cycle.back().from.thread;
  }
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

void UnitGraph::sweep() {
  for (uint32_t place = 0; place < nodes_.size(); ++place) {
    Node& node = nodes_[place];
    const bool in_use = node.slot != kClosed || !node.ancestors.empty();
    if (in_use && node.slot == kClosed && !node.marked) remove(place);
    node.marked = false;
  }
  for (OpenUnit& unit : units_) {
    std::erase_if(unit.reached, [&](NodeId id) { return !is_live(id); });
  }
}

}  // namespace foretrace::serializability
