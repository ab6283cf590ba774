#include "analyses/nondeterminism/choices.h"

#include <algorithm>

namespace foretrace::nondeterminism {
namespace {

// The last step of the scope that the graph has.
StepId last_step(const WitnessOrderGraph& graph, const Scope& scope) {
  const PartialOrderGraph& base = graph.base();
  if (scope.end != kNone && graph.contains(scope.end)) return scope.end;
  return base.step(scope.thread, graph.length(scope.thread) - 1);
}

}  // namespace

// ---- UnorderedScopes

UnorderedScopes::UnorderedScopes(const WitnessOrderGraph& graph, ScopeId id,
                                 const ThreadScopes& theirs)
    : base_(graph.base()), shared_(base_.scope(id).shared) {
  const Scope& scope = base_.scope(id);
  const uint32_t before = graph.before(last_step(graph, scope), theirs.thread);
  first_ = std::partition_point(theirs.scopes.begin(), theirs.scopes.end(), [&](ScopeId other) {
    return base_.place(base_.scope(other).begin) < before;
  });
  end_ = std::partition_point(first_, theirs.scopes.end(), [&](ScopeId other) {
    const Scope& theirs_scope = base_.scope(other);
    return graph.contains(theirs_scope.begin) &&
           graph.before(last_step(graph, theirs_scope), scope.thread) <= base_.place(scope.begin);
  });
  while (first_ != end_ && !excludes(*first_)) ++first_;
  while (first_ != end_ && !excludes(*(end_ - 1))) --end_;
}

bool UnorderedScopes::excludes(ScopeId other) const {
  return !shared_ || !base_.scope(other).shared;
}

// ---- ChoiceSlice

ChoiceSlice::ChoiceSlice(const WitnessOrderGraph& graph)
    : graph_(graph), base_(graph.base()), seen_(base_.thread_count()) {}

template <typename Visit>
void ChoiceSlice::for_scopes(ThreadId thread, uint32_t from, uint32_t until, Visit visit) const {
  const std::span<const ScopeId> scopes = base_.scopes_in(thread);
  auto scope = std::partition_point(scopes.begin(), scopes.end(), [&](ScopeId id) {
    return base_.place(base_.scope(id).begin) < from;
  });
  for (; scope != scopes.end() && base_.place(base_.scope(*scope).begin) < until; ++scope) {
    visit(*scope);
  }
}

void ChoiceSlice::reach(StepId step, std::vector<uint32_t>& from) {
  const StepId begin = base_.outermost_begin(step);
  const ThreadId thread = base_.thread(step);
  if (base_.place(begin) >= from[thread]) return;
  from[thread] = base_.place(begin);
  queue_.push_back(thread);
}

void ChoiceSlice::find_reached(StepId start, std::vector<uint32_t>& from) {
  const auto threads = static_cast<ThreadId>(base_.thread_count());
  from.resize(threads);
  for (ThreadId thread = 0; thread < threads; ++thread) from[thread] = graph_.length(thread);
  seen_ = from;
  reach(start, from);
  while (!queue_.empty()) {
    const ThreadId mine = queue_.back();
    queue_.pop_back();
    const uint32_t place = from[mine];
    if (place == seen_[mine]) continue;
    for_scopes(mine, place, seen_[mine], [&](ScopeId scope) {
      for (const ThreadScopes& theirs : base_.scopes_of(base_.scope(scope).lock)) {
        if (theirs.thread == mine) continue;
        const UnorderedScopes unordered(graph_, scope, theirs);
        if (!unordered.empty()) reach(base_.scope(unordered.first()).begin, from);
      }
    });
    seen_[mine] = place;
    for (ThreadId other = 0; other < threads; ++other) {
      if (other == mine) continue;
      // The first step that comes after this one; clocks grow along a thread.
      uint32_t low = 0;
      uint32_t high = from[other];
      while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (graph_.before(base_.step(other, middle), mine) > place) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      if (low < from[other]) reach(base_.step(other, low), from);
    }
  }
}

void ChoiceSlice::reach_back(StepId step, std::vector<uint32_t>& until) {
  const ThreadId thread = base_.thread(step);
  const uint32_t end = std::min(base_.place(base_.outermost_end(step)) + 1, graph_.length(thread));
  if (end <= until[thread]) return;
  until[thread] = end;
  queue_.push_back(thread);
}

void ChoiceSlice::find_reaching(StepId start, std::vector<uint32_t>& until) {
  const auto threads = static_cast<ThreadId>(base_.thread_count());
  until.assign(threads, 0);
  seen_ = until;
  reach_back(start, until);
  while (!queue_.empty()) {
    const ThreadId mine = queue_.back();
    queue_.pop_back();
    const uint32_t end = until[mine];
    if (end == seen_[mine]) continue;
    for_scopes(mine, seen_[mine], end, [&](ScopeId scope) {
      for (const ThreadScopes& theirs : base_.scopes_of(base_.scope(scope).lock)) {
        if (theirs.thread == mine) continue;
        const UnorderedScopes unordered(graph_, scope, theirs);
        if (!unordered.empty()) reach_back(base_.scope(unordered.last()).begin, until);
      }
    });
    seen_[mine] = end;
    for (ThreadId other = 0; other < threads; ++other) {
      const uint32_t before = graph_.before(base_.step(mine, end - 1), other);
      if (other != mine && before > until[other]) reach_back(base_.step(other, before - 1), until);
    }
  }
}

bool ChoiceSlice::may_be_on_the_way(ScopeId id) const {
  const Scope& scope = base_.scope(id);
  const uint32_t place = base_.place(scope.begin);
  return std::any_of(reaches_.begin(), reaches_.end(), [&](const Reach& reach) {
    return place >= reach.from[scope.thread] || place < reach.until[scope.thread];
  });
}

bool ChoiceSlice::on_the_way(ScopeId a, ScopeId b) const {
  const auto reached = [&](const Reach& reach, const Scope& scope) {
    return base_.place(scope.begin) >= reach.from[scope.thread];
  };
  const auto reaching = [&](const Reach& reach, const Scope& scope) {
    return base_.place(scope.begin) < reach.until[scope.thread];
  };
  const Scope& x = base_.scope(a);
  const Scope& y = base_.scope(b);
  return std::any_of(reaches_.begin(), reaches_.end(), [&](const Reach& reach) {
    return (reached(reach, x) && reaching(reach, y)) || (reached(reach, y) && reaching(reach, x));
  });
}

uint64_t ChoiceSlice::count(std::span<const Edge> witness_edges) {
  size_t used = 0;
  for (const Edge& edge : witness_edges) {
    reaches_.resize(std::max(reaches_.size(), used + 1));
    Reach& reach = reaches_[used];
    find_reached(edge.to, reach.from);
    if (!has_scope(reach.from)) continue;  // as for most reads outside of scopes
    find_reaching(edge.from, reach.until);
    ++used;
  }
  reaches_.resize(used);
  return count_on_the_way() + count_unended();
}

bool ChoiceSlice::has_scope(const std::vector<uint32_t>& from) const {
  for (ThreadId thread = 0; thread < from.size(); ++thread) {
    bool found = false;
    for_scopes(thread, from[thread], graph_.length(thread), [&](ScopeId) { found = true; });
    if (found) return true;
  }
  return false;
}

bool ChoiceSlice::ends(ScopeId scope) const {
  return base_.scope(scope).end != kNone && graph_.contains(base_.scope(scope).end);
}

uint64_t ChoiceSlice::count_on_the_way() const {
  uint64_t pairs = 0;
  if (reaches_.empty()) return pairs;
  for (ThreadId mine = 0; mine < base_.thread_count(); ++mine) {
    for_scopes(mine, 0, graph_.length(mine), [&](ScopeId scope) {
      if (!ends(scope) || !may_be_on_the_way(scope)) return;
      for (const ThreadScopes& theirs : base_.scopes_of(base_.scope(scope).lock)) {
        if (theirs.thread <= mine) continue;
        UnorderedScopes(graph_, scope, theirs).for_each([&](ScopeId other) {
          pairs += ends(other) && on_the_way(scope, other) ? 1 : 0;
        });
      }
    });
  }
  return pairs;
}

uint64_t ChoiceSlice::count_unended() const {
  uint64_t pairs = 0;
  for (ThreadId mine = 0; mine < base_.thread_count(); ++mine) {
    if (graph_.length(mine) == 0) continue;
    for (const ScopeId scope : base_.open_after(base_.step(mine, graph_.length(mine) - 1))) {
      for (const ThreadScopes& theirs : base_.scopes_of(base_.scope(scope).lock)) {
        if (theirs.thread == mine) continue;
        UnorderedScopes(graph_, scope, theirs).for_each([&](ScopeId other) {
          pairs += ends(other) || mine < theirs.thread ? 1 : 0;  // each pair once
        });
      }
    }
  }
  return pairs;
}

// ---- ChoiceSearch

ChoiceSearch::ChoiceSearch(WitnessOrderGraph& graph, uint64_t limit, uint64_t most_work)
    : graph_(graph),
      base_(graph.base()),
      limit_(limit),
      most_work_(most_work),
      slice_(graph),
      done_(base_.thread_count()),
      begins_(base_.size(), kNone) {
  LockId locks = 0;
  for (ScopeId id = 0; id < base_.scopes().size(); ++id) {
    begins_[base_.scope(id).begin] = id;
    locks = std::max(locks, base_.scope(id).lock + 1);
  }
  holders_.resize(locks);
}

ChoiceResult ChoiceSearch::decide(std::span<const Edge> witness_edges) {
  ChoiceResult result;
  result.pairs = slice_.count(witness_edges);
  if (result.pairs == 0) return result;
  explored_ = 0;
  if (trace_order_works()) {
    explored_ = 1;
  } else {
    result.feasibility = explore();
  }
  result.explored = explored_;
  return result;
}

// Whether the order of the trace, but with the broken read at the end, keeps all
// edges, and leaves only scopes open that are the last of their lock.
bool ChoiceSearch::trace_order_works() const {
  if (!graph_.trace_order_keeps_edges()) return false;
  for (ThreadId thread = 0; thread < base_.thread_count(); ++thread) {
    if (graph_.length(thread) == 0) continue;
    const StepId last = base_.step(thread, graph_.length(thread) - 1);
    for (const ScopeId scope : base_.open_after(last)) {
      if (!is_last_of_its_lock(scope)) return false;
    }
  }
  return true;
}

bool ChoiceSearch::is_last_of_its_lock(ScopeId id) const {
  const Scope& scope = base_.scope(id);
  for (const ThreadScopes& theirs : base_.scopes_of(scope.lock)) {
    if (theirs.thread == scope.thread) continue;
    for (const ScopeId other : theirs.scopes) {
      const Scope& that = base_.scope(other);
      if (!graph_.contains(that.begin)) break;
      if (scope.shared && that.shared) continue;
      if (base_.index(that.begin) > base_.index(scope.begin)) return false;
    }
  }
  return true;
}

Feasibility ChoiceSearch::explore() {
  if (explored_ == limit_ || work_ > most_work_) return Feasibility::undecided;
  ++explored_;
  Conflict conflict = {};
  if (play(conflict)) return Feasibility::feasible;
  const Feasibility one = explore_with(conflict.waiting, conflict.holding);
  if (one == Feasibility::feasible) return one;
  const Feasibility two = explore_with(conflict.holding, conflict.waiting);
  return two == Feasibility::infeasible ? one : two;
}

Feasibility ChoiceSearch::explore_with(ScopeId first, ScopeId second) {
  if (base_.scope(first).end == kNone) return Feasibility::infeasible;
  const WitnessOrderGraph::Mark mark = graph_.mark();
  graph_.add_edge(base_.scope(first).end, base_.scope(second).begin);
  const Feasibility result = graph_.settle() ? explore() : Feasibility::infeasible;
  graph_.roll_back(mark);
  return result;
}

bool ChoiceSearch::may_be_taken(StepId step) const {
  for (ThreadId thread = 0; thread < done_.size(); ++thread) {
    if (graph_.before(step, thread) > done_[thread] && thread != base_.thread(step)) return false;
  }
  return true;
}

// Nobody holds the lock that the step acquires, if it is an acquire.
bool ChoiceSearch::is_free(StepId step) const {
  if (begins_[step] == kNone) return true;
  const std::vector<ScopeId>& holders = holders_[base_.scope(begins_[step]).lock];
  return std::none_of(holders.begin(), holders.end(),
                      [&](ScopeId holder) { return exclude(holder, begins_[step]); });
}

bool ChoiceSearch::exclude(ScopeId a, ScopeId b) const {
  return !base_.scope(a).shared || !base_.scope(b).shared;
}

void ChoiceSearch::take(StepId step) {
  ++done_[base_.thread(step)];
  if (const ScopeId begun = begins_[step]; begun != kNone) {
    holders_[base_.scope(begun).lock].push_back(begun);
    held_locks_.push_back(base_.scope(begun).lock);
  }
  for (const ScopeId ended : base_.ended_by(step)) {
    std::erase(holders_[base_.scope(ended).lock], ended);
  }
}

// Of the steps that may come next, the first in the trace is taken.
bool ChoiceSearch::play(Conflict& conflict) {
  std::fill(done_.begin(), done_.end(), 0);
  for (const LockId lock : held_locks_) holders_[lock].clear();
  held_locks_.clear();
  for (;;) {
    work_ += done_.size() * done_.size();
    StepId next = kNone;
    StepId stopped = kNone;
    for (ThreadId thread = 0; thread < done_.size(); ++thread) {
      if (done_[thread] == graph_.length(thread)) continue;
      const StepId step = base_.step(thread, done_[thread]);
      if (!may_be_taken(step)) continue;
      StepId& best = is_free(step) ? next : stopped;
      if (best == kNone || base_.index(step) < base_.index(best)) best = step;
    }
    if (next != kNone) {
      take(next);
    } else if (stopped == kNone) {
      return true;
    } else {
      const ScopeId waiting = begins_[stopped];
      const std::vector<ScopeId>& holders = holders_[base_.scope(waiting).lock];
      const auto holding = std::find_if(holders.begin(), holders.end(),
                                        [&](ScopeId holder) { return exclude(holder, waiting); });
      conflict = {waiting, *holding};
      return false;
    }
  }
}

}  // namespace foretrace::nondeterminism
