// What a witness order graph leaves open (paper 001, section III.B): pairs of
// locked scopes that may come in either order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyses/nondeterminism/witness_order_graph.h"

namespace foretrace::nondeterminism {

enum class Feasibility { feasible, infeasible, undecided };

struct ChoiceResult {
  Feasibility feasibility = Feasibility::feasible;
  uint64_t pairs = 0;     // |S_choice|: so many pairs of choice edges matter
  uint64_t explored = 0;  // choice graphs that were looked at; 0 if there is no choice
};

// Scopes of one lock in one thread that are unordered with a scope of another
// thread: a range of theirs, as all before it come first and all after it later.
// Readers do not exclude readers, so in a shared scope's range shared ones do
// not count.
class UnorderedScopes {
 public:
  UnorderedScopes(const WitnessOrderGraph& graph, ScopeId scope, const ThreadScopes& theirs);
  bool empty() const { return first_ == end_; }
  ScopeId first() const { return *first_; }
  ScopeId last() const { return *(end_ - 1); }
  template <typename Visit>
  void for_each(Visit visit) const {
    for (auto id = first_; id != end_; ++id) {
      if (excludes(*id)) visit(*id);
    }
  }

 private:
  bool excludes(ScopeId other) const;
  const PartialOrderGraph& base_;
  bool shared_;
  std::vector<ScopeId>::const_iterator first_;
  std::vector<ScopeId>::const_iterator end_;
};

// S_choice. In the lock abstraction graph each outermost scope is one vertex, and
// unordered scopes are connected both ways. A pair matters if it lies on a way
// from the end of a witness edge to its start; or if one of its scopes does not
// end in the graph, because if that comes first, its end and what that needs join
// the graph, and may be on such a way.
class ChoiceSlice {
 public:
  explicit ChoiceSlice(const WitnessOrderGraph& graph);
  // The number of pairs that matter, for a graph that is settled.
  uint64_t count(std::span<const Edge> witness_edges);

 private:
  // What a witness edge's end reaches, and what reaches its start: by thread, the
  // first place that is reached, and the place after the last one that reaches.
  struct Reach {
    std::vector<uint32_t> from;
    std::vector<uint32_t> until;
  };
  void find_reached(StepId start, std::vector<uint32_t>& from);
  void find_reaching(StepId start, std::vector<uint32_t>& until);
  void reach(StepId step, std::vector<uint32_t>& from);
  void reach_back(StepId step, std::vector<uint32_t>& until);
  // Calls visit(scope) for the scopes of the thread that begin at these places.
  template <typename Visit>
  void for_scopes(ThreadId thread, uint32_t from, uint32_t until, Visit visit) const;
  bool has_scope(const std::vector<uint32_t>& from) const;
  uint64_t count_on_the_way() const;
  uint64_t count_unended() const;
  bool ends(ScopeId scope) const;
  bool on_the_way(ScopeId a, ScopeId b) const;
  bool may_be_on_the_way(ScopeId scope) const;

  const WitnessOrderGraph& graph_;
  const PartialOrderGraph& base_;
  std::vector<Reach> reaches_;
  std::vector<uint32_t> seen_;  // by thread: how far its steps were looked at
  std::vector<ThreadId> queue_;
};

// Looks for an order of all scopes, which is an acyclic choice graph: that of the
// trace if possible; else it tries to play the steps through, and where a lock is
// in the way, both orders of the two scopes. `limit` bounds the number of graphs for
// one witness, `most_work` the work for all, in clock entries that are looked at.
// Changes the graph while it searches, and leaves it as it was.
class ChoiceSearch {
 public:
  ChoiceSearch(WitnessOrderGraph& graph, uint64_t limit, uint64_t most_work);
  ChoiceResult decide(std::span<const Edge> witness_edges);
  uint64_t work() const { return work_; }

 private:
  struct Conflict {
    ScopeId waiting;
    ScopeId holding;
  };
  bool trace_order_works() const;
  bool is_last_of_its_lock(ScopeId scope) const;
  Feasibility explore();
  Feasibility explore_with(ScopeId first, ScopeId second);
  // Plays the steps through; the conflict that stopped it, if one did.
  bool play(Conflict& conflict);
  bool may_be_taken(StepId step) const;
  bool is_free(StepId step) const;
  bool exclude(ScopeId a, ScopeId b) const;
  void take(StepId step);

  WitnessOrderGraph& graph_;
  const PartialOrderGraph& base_;
  const uint64_t limit_;
  const uint64_t most_work_;
  ChoiceSlice slice_;
  uint64_t explored_ = 0;
  uint64_t work_ = 0;
  std::vector<uint32_t> done_;                 // while playing: by thread
  std::vector<std::vector<ScopeId>> holders_;  // by lock
  std::vector<LockId> held_locks_;             // whose holders are not empty, perhaps
  std::vector<ScopeId> begins_;                // by step: the scope that begins, or kNone
};

}  // namespace foretrace::nondeterminism
