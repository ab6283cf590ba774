// The transactional happens-before graph (Velodrome), as far as it matters.
#pragma once

#include <cstdint>
#include <vector>

#include "analyses/serializability/slot_set.h"
#include "trace/event.h"

namespace foretrace::serializability {

inline constexpr uint32_t kNoLabel = UINT32_MAX;

// A node of the graph, which may be gone by now.
struct NodeId {
  uint32_t place = UINT32_MAX;
  uint32_t generation = 0;
  bool operator==(const NodeId&) const = default;
};

// An event that later ones may conflict with, and the node that it belongs to.
struct Occurrence {
  NodeId node;
  uint64_t index = 0;
  uint32_t thread : 24 = 0;
  uint32_t op_bits : 8 = 0;
  uint32_t object = 0;
  SiteId site = kNoSite;
  uint32_t label = kNoLabel;  // of the outermost unit that it is in

  Op op() const { return static_cast<Op>(op_bits); }
};
static_assert(sizeof(Occurrence) == 32);

struct Edge {
  Occurrence from;
  Occurrence to;
};
// Each edge begins in the thread where the one before it ends, in the same node
// or a later one; the first begins and the last ends in the same unit.
using Cycle = std::vector<Edge>;

// Nodes are units, and what threads do outside of units. An edge goes from the
// earlier to the later of two conflicting events, and along each thread. The
// trace is conflict-serializable if and only if this graph has no cycle.
//
// What is kept. Every edge ends in the node that its thread is in now, and a node
// outside of units has no edge out before its last one in. So only edges into an
// open unit close cycles, and all that one needs to know of a node is which open
// units reach it: its ancestors. A node that is over and has none can never be in
// a cycle, and is gone. When a unit ends it is nobody's ancestor any more. When
// an open unit gets an ancestor, so does all that it reaches.
//
// An edge that would close a cycle is not added, so the graph never has one.
class UnitGraph {
 public:
  // The thread goes on from `previous` in a new unit.
  NodeId begin_unit(ThreadId thread, NodeId previous);
  void end_unit(NodeId unit);

  bool is_live(NodeId id) const {
    return id.place < nodes_.size() && nodes_[id.place].generation == id.generation;
  }

  // Whether there is a way from `to`, whose node is an open unit, to `from`.
  bool would_close_cycle(const Occurrence& from, const Occurrence& to) const {
    return nodes_[from.node.place].ancestors.has(nodes_[to.node.place].slot);
  }
  // That way, from the edge that leaves the unit, and the edge from `from` to `to`.
  Cycle cycle(const Occurrence& from, const Occurrence& to);

  // Adds the edge from `from` to `to`, whose node is an open unit; it must not
  // close a cycle.
  void add_to_unit(const Occurrence& from, const Occurrence& to);
  // The same for an event outside of units. Returns the node that the thread is
  // in from there on; `fresh` says that to.node has no other events yet.
  NodeId add_outside(const Occurrence& from, const Occurrence& to, bool fresh);

  // ---- forgetting nodes that no event can come after
  // Live nodes: units that are open, and what they reach.
  size_t live_count() const { return nodes_.size() - free_.size(); }
  void mark(NodeId id) {
    if (is_live(id)) nodes_[id.place].marked = true;
  }
  // Forgets what is not marked, but for open units.
  void sweep();

 private:
  static constexpr uint32_t kClosed = UINT32_MAX;
  struct Node {
    uint32_t generation = 0;
    uint32_t slot = kClosed;  // of an open unit
    bool marked = false;
    SlotSet ancestors;  // open units that reach it; an open unit reaches itself
  };
  // How the unit first reached a thread, in the order of that thread.
  struct Entry {
    ThreadId thread;
    Edge edge;
  };
  struct OpenUnit {
    NodeId node;
    ThreadId thread = 0;
    std::vector<NodeId> reached;  // some may be gone
    std::vector<Entry> entries;   // by thread
  };

  NodeId new_node();
  void remove(uint32_t place);
  void gain(NodeId id, uint32_t slot);
  void gain_with_reached(uint32_t unit, uint32_t ancestor);
  static void enter(OpenUnit& ancestor, ThreadId thread, const Edge& edge);
  static std::vector<Entry>::iterator find(std::vector<Entry>& entries, ThreadId thread);

  std::vector<Node> nodes_;
  std::vector<uint32_t> free_;   // places in nodes_
  std::vector<OpenUnit> units_;  // by slot
  std::vector<uint32_t> free_slots_;
  std::vector<uint32_t> gained_;  // scratch: slots
};

}  // namespace foretrace::serializability
