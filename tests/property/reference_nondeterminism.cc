#include "property/reference_nondeterminism.h"

#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "order/model.h"

namespace foretrace::testing {
namespace {

using Vertex = std::pair<ThreadId, uint32_t>;  // a step: its thread and place
using Arrow = std::pair<Vertex, Vertex>;

struct LockedScope {
  LockId lock;
  Vertex begin;
  std::optional<Vertex> end;
  bool shared;
};

// One graph: a set of steps that is closed under what they need, and edges.
class Graph {
 public:
  Graph(const Model& model, Vertex broken) : model_(model), broken_(broken) {
    for (LockId lock = 0; lock < model.lock_count(); ++lock) {
      for (const Model::ThreadSections& theirs : model.sections(lock)) {
        for (const Model::Section& section : theirs.sections) {
          std::optional<Vertex> end;
          if (section.end != Model::kNever) end = {theirs.thread, section.end};
          scopes_.push_back({lock, {theirs.thread, section.begin}, end, section.shared});
        }
      }
    }
  }

  void include(Vertex vertex) {
    if (!steps_.insert(vertex).second) return;
    for (const Vertex& before : direct_predecessors(vertex)) {
      include(before);
      arrows_.emplace(before, vertex);
    }
  }
  void add(Vertex from, Vertex to) {
    include(from);
    include(to);
    arrows_.emplace(from, to);
  }
  bool contains(Vertex vertex) const { return steps_.contains(vertex); }

  // Adds induced edges until there are no more. False if a scope would have to
  // end that never does, or if there is a cycle.
  bool close() {
    for (bool changed = true; changed;) {
      changed = false;
      find_paths();
      for (const LockedScope& a : scopes_) {
        for (const LockedScope& b : scopes_) {
          if (!exclude(a, b) || !begins_before_end_of(a, b)) continue;
          if (!a.end) return false;
          if (arrows_.contains({*a.end, b.begin})) continue;
          add(*a.end, b.begin);
          changed = true;
        }
      }
    }
    return std::none_of(steps_.begin(), steps_.end(),
                        [&](const Vertex& v) { return paths_.contains({v, v}); });
  }

  // Of a closed graph: the pairs of scopes that no path orders.
  std::vector<std::pair<LockedScope, LockedScope>> unordered() const {
    std::vector<std::pair<LockedScope, LockedScope>> pairs;
    for (size_t i = 0; i < scopes_.size(); ++i) {
      for (size_t k = i + 1; k < scopes_.size(); ++k) {
        const LockedScope& a = scopes_[i];
        const LockedScope& b = scopes_[k];
        if (!exclude(a, b) || begins_before_end_of(a, b) || begins_before_end_of(b, a)) continue;
        pairs.emplace_back(a, b);
      }
    }
    return pairs;
  }

  // S_choice for these witness edges: the pairs on a way from an edge's end to
  // its start in the lock abstraction graph.
  uint64_t count_choices(const std::vector<Arrow>& witness) const {
    const auto pairs = unordered();
    std::set<Arrow> abstract;
    for (const auto& [from, to] : arrows_) abstract.emplace(meta(from), meta(to));
    for (const auto& [a, b] : pairs) {
      abstract.emplace(meta(a.begin), meta(b.begin));
      abstract.emplace(meta(b.begin), meta(a.begin));
    }
    uint64_t count = 0;
    for (const auto& [a, b] : pairs) {
      bool on_the_way = !ends(a) || !ends(b);  // then it may grow the graph
      for (const auto& [from, to] : witness) {
        const std::set<Vertex> reached = reachable(abstract, meta(to), false);
        const std::set<Vertex> reaching = reachable(abstract, meta(from), true);
        const Vertex x = meta(a.begin);
        const Vertex y = meta(b.begin);
        on_the_way |= (reached.contains(x) && reaching.contains(y)) ||
                      (reached.contains(y) && reaching.contains(x));
      }
      count += on_the_way ? 1 : 0;
    }
    return count;
  }

  // Whether some order of all unordered pairs leaves the graph without a cycle.
  bool some_choice_is_acyclic() const {
    const auto pairs = unordered();
    if (pairs.empty()) return true;
    const auto& [a, b] = pairs.front();
    for (const auto& [first, second] : {std::pair(a, b), std::pair(b, a)}) {
      if (!first.end) continue;
      Graph chosen = *this;
      chosen.add(*first.end, second.begin);
      if (chosen.close() && chosen.some_choice_is_acyclic()) return true;
    }
    return false;
  }

 private:
  std::vector<Vertex> direct_predecessors(Vertex vertex) const {
    std::vector<Vertex> before;
    const auto [thread, place] = vertex;
    if (place > 0) before.emplace_back(thread, place - 1);
    for (const Model::Need& need : model_.needs(thread)) {
      if (need.place == place) before.emplace_back(need.step.thread, need.step.place);
    }
    const Step writer = model_.node({thread, place}).writer;
    if (writer != kNoStep && vertex != broken_) before.emplace_back(writer.thread, writer.place);
    return before;
  }

  bool ends(const LockedScope& scope) const { return scope.end && contains(*scope.end); }
  bool exclude(const LockedScope& a, const LockedScope& b) const {
    return a.lock == b.lock && a.begin.first != b.begin.first && !(a.shared && b.shared) &&
           contains(a.begin) && contains(b.begin);
  }
  // There is a path from the begin of a to the last step of b that is here.
  bool begins_before_end_of(const LockedScope& a, const LockedScope& b) const {
    Vertex last = b.begin;
    while (last != b.end && contains({last.first, last.second + 1})) ++last.second;
    return paths_.contains({a.begin, last});
  }

  void find_paths() {
    paths_.clear();
    for (const Vertex& v : steps_) {
      for (const Vertex& reached : reachable(arrows_, v, false)) {
        if (reached != v) paths_.emplace(v, reached);
      }
      for (const auto& [from, to] : arrows_) {
        if (to == v && (from == v || paths_.contains({v, from}))) paths_.emplace(v, v);
      }
    }
  }

  static std::set<Vertex> reachable(const std::set<Arrow>& arrows, Vertex start, bool backward) {
    std::set<Vertex> reached = {start};
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : arrows) {
        const Vertex& source = backward ? to : from;
        const Vertex& target = backward ? from : to;
        if (reached.contains(source)) changed |= reached.insert(target).second;
      }
    }
    return reached;
  }

  // The vertex that stands for a step: the begin of the outermost scope that it
  // is in, which may begin further out where scopes overlap.
  Vertex meta(Vertex vertex) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (const LockedScope& scope : scopes_) {
        const bool inside = scope.begin.first == vertex.first && scope.begin <= vertex &&
                            (!scope.end || vertex <= *scope.end);
        if (!inside || scope.begin == vertex) continue;
        vertex = scope.begin;
        changed = true;
      }
    }
    return vertex;
  }

  const Model& model_;
  Vertex broken_;
  std::vector<LockedScope> scopes_;
  std::set<Vertex> steps_;
  std::set<Arrow> arrows_;
  std::set<Arrow> paths_;
};

class Reference {
 public:
  explicit Reference(const Trace& trace) : trace_(trace), model_(trace) {}

  ReferenceWitnesses run() {
    for (uint64_t read = 0; read < trace_.events.size(); ++read) {
      const Op op = trace_.events[read].op();
      if (reads(op)) examine(read);
    }
    return std::move(witnesses_);
  }

 private:
  void examine(uint64_t read) {
    const Step saw = model_.node(model_.step_of(read)).writer;
    std::optional<uint64_t> writer;
    if (saw != kNoStep) writer = model_.node(saw).index;
    if (writer) challenge(read, writer, std::nullopt);
    for (uint64_t c = 0; c < trace_.events.size(); ++c) {
      const Op op = trace_.events[c].op();
      if (!writes(op)) continue;
      if (trace_.events[c].object != trace_.events[read].object) continue;
      if (c != read && c != writer) challenge(read, writer, c);
    }
  }

  Vertex vertex(uint64_t index) const {
    const Step step = model_.step_of(index);
    return {step.thread, step.place};
  }

  void challenge(uint64_t read, std::optional<uint64_t> writer, std::optional<uint64_t> c) {
    for (const std::string order : {"c-r-w", "w-c-r", "c-r"}) {
      witnesses_[{read, c, order}] = decide(read, writer, c, order);
    }
  }

  ReferenceWitness decide(uint64_t read, std::optional<uint64_t> writer, std::optional<uint64_t> c,
                          const std::string& order) const {
    Graph graph(model_, vertex(read));
    graph.include(vertex(read));
    std::vector<Arrow> witness;
    const auto arrow = [&](uint64_t from, uint64_t to) {
      witness.emplace_back(vertex(from), vertex(to));
      graph.add(vertex(from), vertex(to));
    };
    if (c) arrow(*c, read);
    // The write of the initial value happens, before all others.
    if (order == "c-r-w" && !writer) return {};
    if (order == "w-c-r" && !c) return {};
    if (order == "c-r" && !writer) return {};
    if (order == "c-r-w") arrow(read, *writer);
    if (order == "w-c-r" && writer) arrow(*writer, *c);
    ReferenceWitness result;
    result.acyclic = graph.close();
    if (order == "c-r" && graph.contains(vertex(*writer))) result.acyclic = false;
    if (!result.acyclic) return result;
    result.pairs = graph.count_choices(witness);
    result.feasible = graph.some_choice_is_acyclic();
    return result;
  }

  const Trace& trace_;
  Model model_;
  ReferenceWitnesses witnesses_;
};

}  // namespace

ReferenceWitnesses reference_witnesses(const Trace& trace) { return Reference(trace).run(); }

}  // namespace foretrace::testing
