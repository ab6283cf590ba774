#include "lint/blocks.h"

#include <algorithm>
#include <set>
#include <span>

#include "lint/graphs.h"

namespace foretrace::lint {

namespace {

// Whether some way leads from the entry to an exit, if all calls come back.
bool has_way_through(const Function& function) {
  if (function.blocks.empty()) return true;
  std::vector<std::vector<uint32_t>> next;
  for (const Block& block : function.blocks) next.push_back(block.next);
  const std::vector<bool> reached = reached_from({0}, next);
  for (size_t i = 0; i < next.size(); ++i) {
    if (reached[i] && next[i].empty()) return true;
  }
  return false;
}

}  // namespace

// The nodes of one context.
class Blocks::UnitBuilder {
 public:
  UnitBuilder(Blocks& blocks, ContextId context)
      : blocks_(blocks),
        context_(context),
        function_(*blocks.program_.context(context).function),
        shape_(blocks.shapes_.of(function_)) {}

  void build(UnitId id) {
    id_ = id;
    choose_regions();
    first_.resize(function_.blocks.size());
    last_.resize(function_.blocks.size());
    for (uint32_t block = 0; block < function_.blocks.size(); ++block) add_block(block);
    if (unit_.nodes.empty()) add(UnitNode(), 0);
    for (uint32_t block = 0; block < function_.blocks.size(); ++block) {
      for (const uint32_t next : function_.blocks[block].next) {
        unit_.nodes[last_[block]].next.push_back(first_[next]);
      }
    }
    for (const auto& [region, begin] : begins_) {
      for (const NodeId end : ends_[region]) unit_.nodes[end].begun.push_back(begin);
    }
  }

  Unit take_unit() { return std::move(unit_); }
  std::vector<uint32_t> take_ops() { return std::move(ops_); }
  const std::map<const LockRegion*, NodeId>& begins() const { return begins_; }
  uint32_t kind(NodeId begin) const { return unit_.nodes[begin].alike; }
  // Nothing is held around it, by this function or its callers.
  bool is_outermost(NodeId begin) const {
    return unit_.nodes[begin].inside.empty() && blocks_.program_.context(context_).held.empty();
  }

 private:
  // Regions that end here, and whose lock is not held already: those make blocks.
  void choose_regions() {
    for (const HeldLock& lock : blocks_.program_.context(context_).held) {
      callers_.insert(blocks_.number_of(lock.lock));
    }
    for (const LockRegion& region : shape_.regions()) {
      if (region.exits.empty()) continue;
      const uint32_t lock = blocks_.number_of(context_, region.lock);
      if (callers_.contains(lock)) continue;
      const std::vector<uint32_t> inside = locks_around(shape_.op(region.acquire), region.lock);
      if (std::binary_search(inside.begin(), inside.end(), lock)) continue;
      begin_at_[region.acquire].push_back(&region);
      for (const LockRegion::Exit& exit : region.exits) end_at_[exit.release].push_back(&region);
    }
  }

  std::vector<uint32_t> locks_around(const Op& op, const Path& without) const {
    std::set<uint32_t> numbers;
    for (const Held& held : op.held) {
      if (held.lock == without) continue;
      const uint32_t number = blocks_.number_of(context_, held.lock);
      if (!held.if_caller || callers_.contains(number)) numbers.insert(number);
    }
    return {numbers.begin(), numbers.end()};
  }

  void add_block(uint32_t block) {
    std::vector<NodeId> chain;
    for (const Op& op : function_.blocks[block].ops) {
      if (op.as<Call>() != nullptr) add_call(op, chain);
      if (const auto ends = end_at_.find(op.id); ends != end_at_.end()) {
        add_ends(op, ends->second, chain);
      }
      if (const auto begins = begin_at_.find(op.id); begins != begin_at_.end()) {
        for (const LockRegion* region : begins->second) {
          UnitNode node;
          node.kind = UnitNode::Kind::begin;
          node.lock = blocks_.number_of(context_, region->lock);
          node.inside = locks_around(op, region->lock);
          node.alike = blocks_.kind_of(context_, *region, node.lock, node.silent);
          chain.push_back(add(std::move(node), op.id));
          begins_[region] = chain.back();
        }
      }
    }
    if (chain.empty()) chain.push_back(add(UnitNode(), 0));
    for (size_t i = 1; i < chain.size(); ++i) {
      unit_.nodes[chain[i - 1]].next.push_back(chain[i]);
    }
    first_[block] = chain.front();
    last_[block] = chain.back();
  }

  void add_call(const Op& op, std::vector<NodeId>& chain) {
    UnitNode node;
    node.kind = UnitNode::Kind::call;
    for (const ContextId callee : blocks_.program_.callees({context_, op.id})) {
      const auto unit = blocks_.unit_of_.find(callee);
      if (unit != blocks_.unit_of_.end()) node.callees.push_back(unit->second);
    }
    if (std::all_of(node.callees.begin(), node.callees.end(),
                    [&](UnitId unit) { return blocks_.quiet_[unit]; })) {
      return;
    }
    node.inside = locks_around(op, Path());
    chain.push_back(add(std::move(node), op.id));
  }

  // One node for all regions of one lock that end here.
  void add_ends(const Op& op, const std::vector<const LockRegion*>& regions,
                std::vector<NodeId>& chain) {
    std::map<uint32_t, NodeId> by_lock;
    for (const LockRegion* region : regions) {
      const uint32_t lock = blocks_.number_of(context_, region->lock);
      const auto [known, is_new] = by_lock.try_emplace(lock, 0);
      if (is_new) {
        UnitNode node;
        node.kind = UnitNode::Kind::end;
        node.lock = lock;
        node.alike = op.id;
        node.inside = locks_around(op, region->lock);
        known->second = add(std::move(node), op.id);
        chain.push_back(known->second);
      }
      ends_[region].push_back(known->second);
    }
  }

  NodeId add(UnitNode node, uint32_t op) {
    unit_.nodes.push_back(std::move(node));
    ops_.push_back(op);
    return static_cast<NodeId>(unit_.nodes.size() - 1);
  }

  Blocks& blocks_;
  const ContextId context_;
  const Function& function_;
  const FunctionShape& shape_;
  UnitId id_ = 0;
  Unit unit_;
  std::vector<uint32_t> ops_;
  std::vector<NodeId> first_, last_;  // by block
  std::map<uint32_t, std::vector<const LockRegion*>> begin_at_, end_at_;
  std::set<uint32_t> callers_;  // the locks that they hold, by number
  std::map<const LockRegion*, NodeId> begins_;
  std::map<const LockRegion*, std::vector<NodeId>> ends_;
};

Blocks::Blocks(const Program& program, const ContextEffects& effects, Shapes& shapes)
    : program_(program), context_effects_(effects), shapes_(shapes), contexts_(effects.contexts()) {
  for (UnitId unit = 0; unit < contexts_.size(); ++unit) unit_of_[contexts_[unit]] = unit;
  find_quiet();
  std::vector<Unit> units;
  for (UnitId unit = 0; unit < contexts_.size(); ++unit) {
    if (quiet_[unit]) {
      units.push_back({{UnitNode()}});
      ops_.push_back({0});
      continue;
    }
    UnitBuilder builder(*this, contexts_[unit]);
    builder.build(unit);
    for (const auto& [region, begin] : builder.begins()) {
      const BlockRef block{unit, begin, kNothing};
      regions_[block] = region;
      kind_of_block_[block] = builder.kind(begin);
      if (builder.is_outermost(begin)) outermost_.push_back(block);
    }
    units.push_back(builder.take_unit());
    ops_.push_back(builder.take_ops());
  }
  succession_ = std::make_unique<Succession>(std::move(units));
}

void Blocks::find_quiet() {
  quiet_.resize(contexts_.size(), false);
  std::vector<std::vector<UnitId>> callees(contexts_.size());
  for (UnitId unit = 0; unit < contexts_.size(); ++unit) {
    for (const ContextId callee : callees_of(program_, contexts_[unit])) {
      callees[unit].push_back(unit_of_.at(callee));
    }
  }
  for_each_component(callees, [&](std::span<const UnitId> component) {
    const UnitId unit = component.front();
    const Function& function = *program_.context(contexts_[unit]).function;
    // In a recursion one that is not known to be quiet yet is among the callees.
    quiet_[unit] = shapes_.of(function).regions().empty() && has_way_through(function) &&
                   std::all_of(callees[unit].begin(), callees[unit].end(),
                               [&](UnitId callee) { return quiet_[callee]; });
  });
}

uint32_t Blocks::number_of(ContextId context, const Path& lock) {
  const std::vector<LocationId> locations = program_.locations(context, lock);
  if (locations.size() == 1) return number_of(locations.front());
  // What the lock is remains open: it is one of its own.
  constexpr uint32_t kFirst = 1U << 31;  // above all locations
  const uint32_t next = kFirst + static_cast<uint32_t>(unclear_locks_.size());
  return unclear_locks_.try_emplace({locations, locations.empty() ? lock : Path()}, next)
      .first->second;
}

const LockRegion& Blocks::region(const BlockRef& block) const {
  return *regions_.at({block.unit, block.begin, kNothing});
}

ThreadIndex Blocks::thread(const BlockRef& block) const {
  return program_.context(contexts_[block.unit]).thread;
}

uint32_t Blocks::kind_of(ContextId context, const LockRegion& region, uint32_t lock, bool& silent) {
  Kind kind;
  kind.thread = program_.context(context).thread;
  kind.region = &region;
  kind.lock = lock;
  for (const auto& [location, effect] : context_effects_.of(context, region.ops)) {
    kind.effects.push_back(location);
    kind.effects.push_back((effect.read ? 1U : 0U) + (effect.write ? 2U : 0U));
  }
  silent = kind.effects.empty();
  return kinds_.try_emplace(std::move(kind), static_cast<uint32_t>(kinds_.size())).first->second;
}

const Blocks::Known& Blocks::known_of(const BlockRef& block) const {
  const uint32_t kind = kind_of_block_.at({block.unit, block.begin, kNothing});
  const uint32_t release = block.end == kNothing ? kNothing : ops_[block.unit][block.end];
  const auto [entry, is_new] = known_.try_emplace({kind, release});
  Known& known = entry->second;
  if (!is_new) return known;
  const LockRegion& code = region(block);
  known.ops = &code.ops;
  for (const LockRegion::Exit& exit : code.exits) {
    if (exit.release == release) known.ops = &exit.ops;
  }
  known.context = contexts_[block.unit];
  known.effects = context_effects_.of(known.context, *known.ops);
  return known;
}

Place Blocks::access(const BlockRef& block, LocationId location, bool write) const {
  const Known& known = known_of(block);
  return *context_effects_.find(known.context, *known.ops, location, write);
}

std::vector<HeldLock> Blocks::locks(const BlockRef& block) const {
  const LockRegion& code = region(block);
  const ContextId context = contexts_[block.unit];
  std::vector<HeldLock> locks = program_.locks({context, code.acquire});
  for (const LocationId location : program_.locations(context, code.lock)) {
    HeldLock own;
    own.lock = location;
    own.shared = code.shared;
    own.kind = code.kind;
    locks.push_back(own);
  }
  return locks;
}

std::vector<HeldLock> Blocks::around(UnitId unit, NodeId first_node, NodeId second_node) const {
  const auto same = [](const HeldLock& a, const HeldLock& b) {
    return a.lock == b.lock && a.region_context == b.region_context && a.region_op == b.region_op;
  };
  const std::vector<HeldLock> first = program_.locks(place(unit, first_node));
  // A call that begins a block may have given the lock back before that.
  const Place second = place(unit, second_node);
  std::set<LocationId> given_back;
  for (const auto& [op, lock] : program_.context(second.context).function->given_back) {
    if (op != second.op) continue;
    for (const LocationId one : program_.locations(second.context, lock)) given_back.insert(one);
  }
  std::vector<HeldLock> both;
  for (const HeldLock& lock : program_.locks(second)) {
    if (given_back.contains(lock.lock)) continue;
    if (std::any_of(first.begin(), first.end(),
                    [&](const HeldLock& other) { return same(lock, other); })) {
      both.push_back(lock);
    }
  }
  return both;
}

}  // namespace foretrace::lint
