#include "lint/succession.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "lint/graphs.h"
#include "lint/loops.h"

namespace foretrace::lint {
namespace {

// A block that has ended, as a unit sees it from a later node.
struct Ended {
  BlockPart part;
  uint32_t lock = 0;
  Locks inside;
  friend auto operator<=>(const Ended&, const Ended&) = default;
};

using Rounds = std::vector<NodeId>;  // of the loops with these heads; sorted

// The last blocks, each with the loops whose next round lies between, on the way with
// the fewest of them. Shared by the nodes between which nothing happens.
class LastBlocks {
 public:
  using Map = std::map<Ended, Rounds>;
  const Map& operator*() const { return *blocks_; }
  const Map* operator->() const { return blocks_.get(); }
  Map& change() {
    if (blocks_.use_count() > 1) blocks_ = std::make_shared<Map>(*blocks_);
    return *blocks_;
  }
  bool is(const LastBlocks& other) const { return blocks_ == other.blocks_; }

 private:
  std::shared_ptr<Map> blocks_ = std::make_shared<Map>();
};

// What is known before a node; and the locks that are passed on every way from the entry.
struct State {
  bool reached = false;
  LastBlocks last;
  Locks passed;
};

bool contains(const Locks& locks, uint32_t lock) {
  return std::binary_search(locks.begin(), locks.end(), lock);
}

Locks common(const Locks& a, const Locks& b) {
  Locks both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

void add(Locks& locks, const Locks& more) {
  if (std::includes(locks.begin(), locks.end(), more.begin(), more.end())) return;
  Locks all;
  std::set_union(locks.begin(), locks.end(), more.begin(), more.end(), std::back_inserter(all));
  locks = std::move(all);
}

// True if anything is new.
bool join(State& into, const State& from) {
  if (!from.reached) return false;
  if (!into.reached) {
    into = from;
    return true;
  }
  bool changed = false;
  if (Locks passed = common(into.passed, from.passed); passed != into.passed) {
    into.passed = std::move(passed);
    changed = true;
  }
  if (into.last.is(from.last)) return changed;
  for (const auto& [ended, rounds] : *from.last) {
    const auto known = into.last->find(ended);
    if (known == into.last->end()) {
      into.last.change().emplace(ended, rounds);
    } else if (Rounds both = common(known->second, rounds); both != known->second) {
      into.last.change()[ended] = std::move(both);
    } else {
      continue;
    }
    changed = true;
  }
  return changed;
}

}  // namespace

// One unit, with what is known of those that it calls.
class Succession::Walk {
 public:
  Walk(const std::vector<Unit>& units, const std::vector<Summary>& known, UnitId unit)
      : unit_(units[unit]), known_(known), id_(unit), units_(units), loops_(edges(unit_)) {}

  // What callers need to know.
  Summary summary() {
    run();
    return collect();
  }

  std::vector<Meeting> meetings() {
    run();
    std::vector<Meeting> found;
    for (NodeId id = 0; id < unit_.nodes.size(); ++id) {
      if (!before_[id].reached || before_[id].last->empty()) continue;
      Meeting meeting;
      meeting.node = id;
      for_each_beginning_at(id, [&](const Opening& opening) {
        meeting.seconds.push_back({opening.part, opening.passed});
      });
      if (meeting.seconds.empty()) continue;
      for (const auto& [ended, rounds] : *before_[id].last) {
        if (ended.inside != unit_.nodes[id].inside) continue;
        meeting.firsts.push_back({ended.part, ended.lock, !rounds.empty()});
      }
      if (!meeting.firsts.empty()) found.push_back(std::move(meeting));
    }
    return found;
  }

 private:
  void run() {
    before_.resize(unit_.nodes.size());
    before_[0].reached = true;
    // Those first that lead to the others.
    std::vector<NodeId> order = post_order(edges(unit_));
    std::reverse(order.begin(), order.end());
    std::vector<uint32_t> place(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::set<uint32_t> work = {place[0]};
    while (!work.empty()) {
      const NodeId node = order[*work.begin()];
      work.erase(work.begin());
      State after = before_[node];
      step(node, after);
      for (const NodeId next : unit_.nodes[node].next) {
        if (join(before_[next], crossed(after, node, next))) work.insert(place[next]);
      }
    }
  }

  // The block itself, or all that are like it.
  using BlockKind = std::pair<uint32_t, BlockRef>;
  BlockKind kind_of(const BlockRef& block) const {
    const std::vector<UnitNode>& nodes = units_[block.unit].nodes;
    const uint32_t alike = nodes[block.begin].alike;
    if (alike == kNothing) return {alike, block};
    return {alike, {0, 0, block.end == kNothing ? kNothing : nodes[block.end].alike}};
  }

  static std::vector<std::vector<NodeId>> edges(const Unit& unit) {
    std::vector<std::vector<NodeId>> next;
    for (const UnitNode& node : unit.nodes) next.push_back(node.next);
    return next;
  }

  // An edge back to a loop's head begins a new round; leaving the loop forgets it.
  State crossed(const State& state, NodeId from, NodeId to) const {
    const bool back = loops_.is_back_edge(from, to);
    if (state.last->empty() || (!back && loops_.left(from, to).empty())) return state;
    State result = state;
    for (auto& [ended, rounds] : result.last.change()) {
      if (back) add(rounds, {to});
      for (const NodeId head : loops_.left(from, to)) std::erase(rounds, head);
    }
    return result;
  }

  void step(NodeId id, State& state) const {
    const UnitNode& node = unit_.nodes[id];
    if (!state.reached) return;
    if (node.kind == UnitNode::Kind::end) end_block(id, node, state);
    if (node.kind == UnitNode::Kind::call) call(id, node, state);
  }

  void end_block(NodeId id, const UnitNode& node, State& state) const {
    LastBlocks::Map& last = state.last.change();
    std::erase_if(last, [&](const auto& entry) {
      const Ended& ended = entry.first;
      return contains(ended.inside, node.lock) ||
             (ended.inside == node.inside && ended.lock == node.lock);
    });
    for (const NodeId begin : node.begun) {
      if (unit_.nodes[begin].silent) continue;
      last[{BlockPart{id, kNothing, {id_, begin, id}}, node.lock, node.inside}] = {};
    }
    if (node.inside.empty()) add(state.passed, {node.lock});
  }

  void call(NodeId id, const UnitNode& node, State& state) const {
    if (node.callees.empty()) return;
    bool has_way = false;
    Locks passed;
    for (const UnitId callee : node.callees) {
      if (!known_[callee].has_way) continue;
      passed = has_way ? common(passed, known_[callee].passed) : known_[callee].passed;
      has_way = true;
    }
    if (!has_way) {  // never comes back, as far as is known yet
      state = State();
      return;
    }
    const auto is_passed = [&](const auto& entry) {
      return entry.first.inside == node.inside && contains(passed, entry.first.lock);
    };
    if (!passed.empty() && std::any_of(state.last->begin(), state.last->end(), is_passed)) {
      std::erase_if(state.last.change(), is_passed);
    }
    std::set<BlockKind> kinds;  // one of those that are alike, whoever has it
    for (const UnitId callee : node.callees) {
      for (const Closing& closing : known_[callee].closings) {
        const BlockRef& block = closing.part.block;
        if (!kinds.insert(kind_of(block)).second) continue;
        const uint32_t lock = units_[block.unit].nodes[block.begin].lock;
        state.last.change()[{BlockPart{id, callee, block}, lock, node.inside}] = {};
      }
    }
    if (node.inside.empty()) add(state.passed, passed);
  }

  // Calls visit(block) for each block that begins at a node that is reached, or in what it
  // calls.
  template <typename Visit>
  void for_each_beginning_at(NodeId id, const Visit& visit) const {
    const UnitNode& node = unit_.nodes[id];
    if (node.kind == UnitNode::Kind::begin && !node.silent) {
      visit(Opening{BlockPart{id, kNothing, {id_, id, kNothing}}, {}, 0});
    }
    for (const auto& [kind, opening] : openings_of(id, node)) visit(opening);
  }

  Summary collect() {
    Summary summary;
    // What stood for a kind of blocks goes on to do so, or recursion might never settle.
    for (const Opening& opening : known_[id_].openings) {
      openings_.emplace(kind_of(opening.part.block), opening);
    }
    for (const Closing& closing : known_[id_].closings) {
      closings_.emplace(kind_of(closing.part.block), closing);
    }
    for (NodeId id = 0; id < unit_.nodes.size(); ++id) {
      if (!before_[id].reached) continue;
      for_each_beginning_at(
          id, [&](const Opening& opening) { open(unit_.nodes[id], before_[id], opening); });
    }
    for (NodeId id = 0; id < unit_.nodes.size(); ++id) {
      if (before_[id].reached && unit_.nodes[id].next.empty()) exit(summary, id, before_[id]);
    }
    for (auto& [block, opening] : openings_) summary.openings.push_back(std::move(opening));
    for (const auto& [block, closing] : closings_) summary.closings.push_back(closing);
    return summary;
  }

  // Of a call: one of those that are alike, whoever has it.
  std::map<BlockKind, Opening> openings_of(NodeId id, const UnitNode& node) const {
    std::map<BlockKind, Opening> found;
    for (const UnitId callee : node.callees) {
      for (const Opening& opening : known_[callee].openings) {
        const Opening here{BlockPart{id, callee, opening.part.block}, opening.passed,
                           opening.depth + 1};
        const auto [known, is_new] = found.try_emplace(kind_of(opening.part.block), here);
        if (!is_new) known->second.passed = common(known->second.passed, opening.passed);
      }
    }
    return found;
  }

  // A block that can be the first of the unit.
  void open(const UnitNode& node, const State& state, Opening opening) {
    if (!node.inside.empty()) return;
    add(opening.passed, state.passed);
    const auto [known, is_new] = openings_.try_emplace(kind_of(opening.part.block), opening);
    if (is_new) return;
    Locks passed = common(known->second.passed, opening.passed);
    if (opening.depth < known->second.depth && opening.part.block == known->second.part.block) {
      known->second = std::move(opening);
    }
    known->second.passed = std::move(passed);
  }

  void exit(Summary& summary, NodeId id, State state) {
    step(id, state);
    if (!state.reached) return;
    summary.passed = summary.has_way ? common(summary.passed, state.passed) : state.passed;
    summary.has_way = true;
    for (const auto& [ended, rounds] : *state.last) {
      if (ended.inside.empty()) close(ended.part);
    }
  }

  void close(const BlockPart& part) {
    uint32_t depth = 0;
    if (part.callee != kNothing) {
      for (const Closing& closing : known_[part.callee].closings) {
        if (closing.part.block == part.block) depth = closing.depth + 1;
      }
    }
    const auto [known, is_new] = closings_.try_emplace(kind_of(part.block), Closing{part, depth});
    if (!is_new && depth < known->second.depth && part.block == known->second.part.block) {
      known->second = {part, depth};
    }
  }

  const Unit& unit_;
  const std::vector<Summary>& known_;
  const UnitId id_;
  const std::vector<Unit>& units_;
  const Loops loops_;
  std::vector<State> before_;
  // One way to each block is enough above this unit: the shortest.
  std::map<BlockKind, Opening> openings_;
  std::map<BlockKind, Closing> closings_;
};

Succession::Succession(std::vector<Unit> units) : units_(std::move(units)) {
  results_.resize(units_.size());
  solve();
}

std::vector<Meeting> Succession::meetings(UnitId unit) const {
  return Walk(units_, results_, unit).meetings();
}

// Summaries only grow (and `passed` only shrinks).
void Succession::solve() {
  std::vector<std::vector<UnitId>> callers(units_.size());
  for (UnitId unit = 0; unit < units_.size(); ++unit) {
    for (const UnitNode& node : units_[unit].nodes) {
      for (const UnitId callee : node.callees) callers[callee].push_back(unit);
    }
  }
  const std::vector<UnitId> order = callees_first();
  std::deque<UnitId> work(order.begin(), order.end());
  std::vector<bool> waiting(units_.size(), true);
  // What is not known after so many looks at a unit needs deeper recursion than that.
  constexpr int kMaxWalks = 6;
  std::vector<int> walks(units_.size(), 0);
  while (!work.empty()) {
    const UnitId unit = work.front();
    work.pop_front();
    waiting[unit] = false;
    ++walks[unit];
    Summary summary = Walk(units_, results_, unit).summary();
    const bool changed = summary != results_[unit];
    results_[unit] = std::move(summary);
    if (!changed) continue;
    for (const UnitId caller : callers[unit]) {
      if (waiting[caller] || walks[caller] == kMaxWalks) continue;
      waiting[caller] = true;
      work.push_back(caller);
    }
  }
}

// But for recursion.
std::vector<UnitId> Succession::callees_first() const {
  std::vector<std::vector<UnitId>> callees(units_.size());
  for (UnitId unit = 0; unit < units_.size(); ++unit) {
    for (const UnitNode& node : units_[unit].nodes) {
      callees[unit].insert(callees[unit].end(), node.callees.begin(), node.callees.end());
    }
  }
  return post_order(callees);
}

std::vector<ChainLink> Succession::chain(UnitId unit, const BlockPart& part) const {
  std::vector<ChainLink> links;
  BlockPart at = part;
  while (at.callee != kNothing) {
    links.push_back({unit, at.node});
    unit = at.callee;
    // The callee has it too: the caller has it from there.
    const auto follow = [&](const auto& parts) {
      const auto next = std::find_if(parts.begin(), parts.end(),
                                     [&](const auto& one) { return one.part.block == at.block; });
      at = next->part;
    };
    const bool is_second = at.block.end == kNothing;
    if (is_second) {
      follow(results_[unit].openings);
    } else {
      follow(results_[unit].closings);
    }
  }
  return links;
}

}  // namespace foretrace::lint
