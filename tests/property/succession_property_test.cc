// Succession against its definition: all paths through random programs are written
// out (section 4.4 of paper 004: loops up to two rounds), and the pairs are read off.
// The paper stops before a function is on the stack for the third time, and goes on as
// if that call did nothing; here such a path ends, and a function may be there four
// times, so that its second time can still come to its end.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "lint/succession.h"

namespace foretrace::lint {
namespace {

// A function's body as a trace tree.
struct Tree {
  enum class Kind { atom, sequence, either, loop, call };
  Kind kind = Kind::sequence;
  uint32_t number = 0;  // atom: lock; call: function
  std::vector<Tree> parts;
};

void showValue(const Tree& tree, std::ostream& out) {
  static const char* const kNames[] = {"atom", "seq", "either", "loop", "call"};
  out << kNames[static_cast<int>(tree.kind)] << tree.number << "(";
  for (const Tree& part : tree.parts) showValue(part, out);
  out << ")";
}

rc::Gen<Tree> trees(int depth, uint32_t functions, uint32_t locks) {
  using rc::gen::inRange;
  return rc::gen::exec([=] {
    Tree tree;
    const int choice = *inRange(0, depth > 0 ? 10 : 4);
    if (choice < 3) {
      tree.kind = Tree::Kind::atom;
      tree.number = *inRange<uint32_t>(0, locks);
      if (depth > 1 && *inRange(0, 4) == 0) {
        tree.parts.push_back(*trees(depth - 2, functions, locks));
      }
    } else if (choice == 3) {
      tree.kind = Tree::Kind::call;
      tree.number = *inRange<uint32_t>(0, functions);
    } else if (choice == 4) {
      tree.kind = Tree::Kind::loop;
      tree.parts.push_back(*trees(depth - 1, functions, locks));
    } else {
      tree.kind = choice < 7 ? Tree::Kind::either : Tree::Kind::sequence;
      tree.parts.push_back(*trees(depth - 1, functions, locks));
      if (*inRange(0, 3) != 0) tree.parts.push_back(*trees(depth - 1, functions, locks));
      if (tree.kind == Tree::Kind::either && tree.parts.size() == 1) tree.parts.emplace_back();
    }
    return tree;
  });
}

// ---- the fast one: a tree as the nodes of a unit

class Builder {
 public:
  Unit build(const Tree& tree) {
    const NodeId entry = add({});
    const NodeId last = append(tree, entry, {});
    const NodeId exit = add({});
    unit_.nodes[last].next.push_back(exit);
    return std::move(unit_);
  }
  // By tree: the begin and end of its block, or its call.
  std::map<const Tree*, std::pair<NodeId, NodeId>> places;

 private:
  NodeId add(UnitNode node) {
    unit_.nodes.push_back(std::move(node));
    return static_cast<NodeId>(unit_.nodes.size() - 1);
  }
  NodeId follow(NodeId before, UnitNode node) {
    const NodeId id = add(std::move(node));
    unit_.nodes[before].next.push_back(id);
    return id;
  }

  NodeId append(const Tree& tree, NodeId at, const std::set<uint32_t>& held) {
    const std::vector<uint32_t> inside(held.begin(), held.end());
    switch (tree.kind) {
      case Tree::Kind::atom: {
        const bool nested = held.contains(tree.number);  // flattened
        std::set<uint32_t> inner = held;
        inner.insert(tree.number);
        NodeId begin = at;
        if (!nested) begin = follow(at, {UnitNode::Kind::begin, tree.number, {}, {}, inside, {}});
        at = begin;
        for (const Tree& part : tree.parts) at = append(part, at, inner);
        if (nested) return at;
        at = follow(at, {UnitNode::Kind::end, tree.number, {begin}, {}, inside, {}});
        places[&tree] = {begin, at};
        return at;
      }
      case Tree::Kind::sequence:
        for (const Tree& part : tree.parts) at = append(part, at, held);
        return at;
      case Tree::Kind::either: {
        const NodeId fork = follow(at, {});
        const NodeId meet = add({});
        for (const Tree& part : tree.parts) {
          const NodeId end = append(part, follow(fork, {}), held);
          unit_.nodes[end].next.push_back(meet);
        }
        return meet;
      }
      case Tree::Kind::loop: {
        const NodeId head = follow(at, {});
        const NodeId body = append(tree.parts[0], follow(head, {}), held);
        unit_.nodes[body].next.push_back(head);
        return follow(head, {});
      }
      case Tree::Kind::call: {
        const NodeId call = follow(at, {UnitNode::Kind::call, 0, {}, {tree.number}, inside, {}});
        places[&tree] = {call, call};
        return call;
      }
    }
    return at;
  }

  Unit unit_;
};

// ---- the slow one: all paths

// An atom or call as it is done on a path: the second time is another one.
struct Done {
  const Tree* tree = nullptr;
  uint64_t time = 0;
  friend bool operator==(const Done&, const Done&) = default;
};
using Stack = std::vector<Done>;  // the calls down to an atom, then the atom
struct Step {
  bool begins = false;
  uint32_t lock = 0;
  Stack stack;
};
struct Path {
  std::vector<Step> steps;
  bool cut = false;  // before a function would be on the stack once too often
};

class Paths {
 public:
  explicit Paths(const std::vector<Tree>& functions) : functions_(functions) {}

  // Nothing if there would be too many.
  std::optional<std::vector<Path>> of(uint32_t function) {
    std::map<uint32_t, int> on_stack = {{function, 1}};
    std::vector<Path> paths = walk(functions_[function], {}, {}, on_stack);
    if (too_many_) return std::nullopt;
    return paths;
  }

 private:
  static constexpr size_t kLimit = 3000;
  static constexpr int kRecursion = 4;

  std::vector<Path> after(const std::vector<Path>& heads, const std::vector<Path>& tails) {
    std::vector<Path> result;
    if (heads.size() * tails.size() > kLimit) too_many_ = true;
    if (too_many_) return result;
    for (const Path& head : heads) {
      for (const Path& tail : tails) {
        result.push_back(head);
        if (head.cut) break;
        std::vector<Step>& steps = result.back().steps;
        steps.insert(steps.end(), tail.steps.begin(), tail.steps.end());
        result.back().cut = tail.cut;
      }
    }
    return result;
  }

  std::vector<Path> walk(const Tree& tree, const Stack& stack, const std::set<uint32_t>& held,
                         std::map<uint32_t, int>& on_stack) {
    std::vector<Path> paths(1);
    if (too_many_) return paths;
    switch (tree.kind) {
      case Tree::Kind::atom: {
        Stack down = stack;
        down.push_back({&tree, ++time_});
        const bool nested = held.contains(tree.number);
        std::set<uint32_t> inner = held;
        inner.insert(tree.number);
        if (!nested) paths = {{{Step{true, tree.number, down}}}};
        for (const Tree& part : tree.parts)
          paths = after(paths, walk(part, stack, inner, on_stack));
        if (!nested) paths = after(paths, {{{Step{false, tree.number, down}}}});
        return paths;
      }
      case Tree::Kind::sequence:
        for (const Tree& part : tree.parts) paths = after(paths, walk(part, stack, held, on_stack));
        return paths;
      case Tree::Kind::either:
        paths.clear();
        for (const Tree& part : tree.parts) {
          for (Path& path : walk(part, stack, held, on_stack)) paths.push_back(std::move(path));
        }
        return paths;
      case Tree::Kind::loop: {
        const std::vector<Path> once = walk(tree.parts[0], stack, held, on_stack);
        const std::vector<Path> twice = after(once, walk(tree.parts[0], stack, held, on_stack));
        paths.insert(paths.end(), once.begin(), once.end());
        paths.insert(paths.end(), twice.begin(), twice.end());
        return paths;
      }
      case Tree::Kind::call: {
        if (on_stack[tree.number] == kRecursion) return {Path{{}, true}};
        ++on_stack[tree.number];
        Stack down = stack;
        down.push_back({&tree, ++time_});
        paths = walk(functions_[tree.number], down, held, on_stack);
        --on_stack[tree.number];
        return paths;
      }
    }
    return paths;
  }

  const std::vector<Tree>& functions_;
  uint64_t time_ = 0;
  bool too_many_ = false;
};

// The innermost common caller's two trees, and the two atoms.
using Pair = std::tuple<const Tree*, const Tree*, const Tree*, const Tree*>;

void read_off(const Path& path, std::set<Pair>& pairs) {
  struct Last {
    uint32_t lock;
    std::vector<uint32_t> inside;
    Stack stack;
  };
  std::vector<Last> last;
  std::vector<uint32_t> held;  // in the order of their begin
  const auto sorted = [&] {
    std::vector<uint32_t> result = held;
    std::sort(result.begin(), result.end());
    return result;
  };
  for (const Step& step : path.steps) {
    if (step.begins) {
      for (const Last& ended : last) {
        if (ended.inside != sorted()) continue;
        size_t common = 0;
        while (ended.stack[common] == step.stack[common] && common + 1 < ended.stack.size() &&
               common + 1 < step.stack.size()) {
          ++common;
        }
        pairs.insert({ended.stack[common].tree, step.stack[common].tree, ended.stack.back().tree,
                      step.stack.back().tree});
      }
      held.push_back(step.lock);
    } else {
      std::erase(held, step.lock);
      std::erase_if(last, [&](const Last& ended) {
        const bool was_inside =
            std::find(ended.inside.begin(), ended.inside.end(), step.lock) != ended.inside.end();
        return was_inside || (ended.lock == step.lock && ended.inside == sorted());
      });
      last.push_back({step.lock, sorted(), step.stack});
    }
  }
}

std::vector<BlockPair> pairs_of(const Succession& succession, UnitId unit) {
  std::vector<BlockPair> pairs;
  for (const Meeting& meeting : succession.meetings(unit)) {
    for (const Meeting::Second& second : meeting.seconds) {
      for (const Meeting::First& first : meeting.firsts) {
        if (!second.follows(first)) continue;
        pairs.push_back({first.part, second.part, first.around_loop});
      }
    }
  }
  return pairs;
}

RC_GTEST_PROP(Succession, FindsThePairsOfAllPaths, ()) {
  const uint32_t count = *rc::gen::inRange<uint32_t>(1, 4);
  const uint32_t locks = *rc::gen::inRange<uint32_t>(1, 4);
  std::vector<Tree> functions;
  for (uint32_t i = 0; i < count; ++i) functions.push_back(*trees(3, count, locks));

  // Where locks are held by callers a nested atom of the callee is another unit in the
  // real program; here such programs are left out: a call inside of an atom.
  const std::function<bool(const Tree&, bool)> calls_inside = [&](const Tree& tree, bool inside) {
    if (inside && tree.kind == Tree::Kind::call) return true;
    const bool now = inside || tree.kind == Tree::Kind::atom;
    return std::any_of(tree.parts.begin(), tree.parts.end(),
                       [&](const Tree& part) { return calls_inside(part, now); });
  };
  for (const Tree& function : functions) RC_PRE(!calls_inside(function, false));

  std::set<Pair> slow;
  for (uint32_t i = 0; i < count; ++i) {
    const std::optional<std::vector<Path>> paths = Paths(functions).of(i);
    RC_PRE(paths.has_value());
    for (const Path& path : *paths) read_off(path, slow);
  }

  std::vector<Unit> units;
  std::map<std::tuple<UnitId, NodeId>, const Tree*> by_place;
  for (uint32_t i = 0; i < count; ++i) {
    Builder builder;
    units.push_back(builder.build(functions[i]));
    for (const auto& [tree, nodes] : builder.places) {
      by_place[{i, nodes.first}] = tree;
      by_place[{i, nodes.second}] = tree;
    }
  }
  const Succession succession(std::move(units));
  std::set<Pair> fast;
  for (uint32_t i = 0; i < count; ++i) {
    for (const BlockPair& pair : pairs_of(succession, i)) {
      fast.insert({by_place[{i, pair.first.node}], by_place[{i, pair.second.node}],
                   by_place[{pair.first.block.unit, pair.first.block.begin}],
                   by_place[{pair.second.block.unit, pair.second.block.begin}]});
      for (const BlockPart& part : {pair.first, pair.second}) {
        const std::vector<ChainLink> chain = succession.chain(i, part);
        RC_ASSERT(chain.size() <= 2 * count);
        RC_ASSERT(chain.empty() == (part.callee == kNothing));
      }
    }
  }
  if (fast != slow) RC_LOG() << "fast " << fast.size() << ", slow " << slow.size();
  RC_ASSERT(fast == slow);
}

// Two calls in each of thirty functions: 2^30 paths, and no time at all.
TEST(Succession, DoesNotFollowEveryPath) {
  std::vector<Unit> units;
  constexpr UnitId kDepth = 30;
  for (UnitId i = 0; i < kDepth; ++i) {
    Unit unit;
    unit.nodes = {{UnitNode::Kind::call, 0, {}, {i + 1}, {}, {1}},
                  {UnitNode::Kind::call, 0, {}, {i + 1}, {}, {}}};
    units.push_back(unit);
  }
  Unit leaf;
  leaf.nodes = {{UnitNode::Kind::begin, 0, {}, {}, {}, {1}},
                {UnitNode::Kind::end, 0, {0}, {}, {}, {}}};
  units.push_back(leaf);
  const Succession succession(units);
  for (UnitId i = 0; i < kDepth; ++i) {
    ASSERT_EQ(pairs_of(succession, i).size(), 1U);
    EXPECT_EQ(succession.chain(i, pairs_of(succession, i)[0].first).size(), kDepth - i);
  }
}

}  // namespace
}  // namespace foretrace::lint
