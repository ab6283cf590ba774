#include "analyses/nondeterminism/witness_order_graph.h"

#include <algorithm>

namespace foretrace::nondeterminism {

WitnessOrderGraph::WitnessOrderGraph(const PartialOrderGraph& graph)
    : base_(graph),
      width_(graph.thread_count()),
      lengths_(width_),
      clocks_(graph.size() * width_),
      first_edge_(graph.size(), kNone),
      queued_(graph.size()) {}

void WitnessOrderGraph::clear() {
  roll_back({changes_.size(), length_changes_.size(), 0, kNone});
  keep();
  std::fill(lengths_.begin(), lengths_.end(), 0);
}

void WitnessOrderGraph::roll_back(const Mark& mark) {
  while (changes_.size() > mark.changes) {
    clocks_[changes_.back().place] = changes_.back().old;
    changes_.pop_back();
  }
  while (length_changes_.size() > mark.lengths) {
    lengths_[length_changes_.back().thread] = length_changes_.back().old;
    length_changes_.pop_back();
  }
  while (edges_.size() > mark.edges) {
    backward_edges_ -= is_backward(edges_.back().edge) ? 1 : 0;
    first_edge_[edges_.back().edge.from] = edges_.back().next;
    edges_.pop_back();
  }
  for (const StepId step : queue_) queued_[step] = 0;
  queue_.clear();
  new_.clear();
  broken_ = mark.broken;
  cyclic_ = false;
}

void WitnessOrderGraph::keep() {
  changes_.clear();
  length_changes_.clear();
}

// ---- steps

void WitnessOrderGraph::include(StepId step) {
  if (contains(step)) return;
  const std::span<const uint32_t> needed = base_.clock(step);
  for (ThreadId thread = 0; thread < width_; ++thread) grow(thread, needed[thread]);
  grow(base_.thread(step), base_.place(step) + 1);
  pull_new();
}

void WitnessOrderGraph::break_read(StepId read) {
  broken_ = read;
  if (base_.place(read) > 0) include(read - 1);
  for (const StepId needed : base_.sync_before(read)) include(needed);
  grow(base_.thread(read), base_.place(read) + 1);
  pull_new();
}

void WitnessOrderGraph::grow(ThreadId thread, uint32_t length) {
  const uint32_t old = lengths_[thread];
  if (length <= old) return;
  length_changes_.push_back({thread, old});
  lengths_[thread] = length;
  work_ += uint64_t{length - old} * width_;
  for (uint32_t place = old; place < length; ++place) {
    const StepId step = base_.step(thread, place);
    uint32_t* const clock = &clocks_[step * width_];
    if (depends_on_broken(step)) {
      std::fill(clock, clock + width_, 0);
      clock[thread] = place;
    } else {
      const std::span<const uint32_t> known = base_.clock(step);
      std::copy(known.begin(), known.end(), clock);
    }
    new_.push_back(step);
  }
}

// Then its clock in the partial order graph knows of the read-couple that is no
// more, and has to be made anew.
bool WitnessOrderGraph::depends_on_broken(StepId step) const {
  if (broken_ == kNone) return false;
  return step == broken_ || base_.clock(step)[base_.thread(broken_)] > base_.place(broken_);
}

// New steps learn what was added for the steps before them.
void WitnessOrderGraph::pull_new() {
  for (const StepId step : new_) {
    if (base_.place(step) > 0) join(step, step - 1);
    for (const StepId source : base_.sync_before(step)) join(step, source);
    const StepId writer = base_.writer(step);
    if (writer != kNone && step != broken_) join(step, writer);
  }
  // The first in program order shall come off the queue first.
  for (auto step = new_.rbegin(); step != new_.rend(); ++step) {
    if (queued_[*step] != 0) continue;
    queued_[*step] = 1;
    queue_.push_back(*step);
  }
  new_.clear();
}

// ---- edges

void WitnessOrderGraph::add_edge(StepId from, StepId to) {
  include(from);
  include(to);
  link(from, to);
}

void WitnessOrderGraph::link(StepId from, StepId to) {
  edges_.push_back({{from, to}, first_edge_[from]});
  backward_edges_ += is_backward(edges_.back().edge) ? 1 : 0;
  first_edge_[from] = static_cast<uint32_t>(edges_.size() - 1);
  join(to, from);
}

bool WitnessOrderGraph::is_backward(const Edge& edge) const {
  if (edge.from == broken_) return true;
  return edge.to != broken_ && base_.index(edge.from) > base_.index(edge.to);
}

void WitnessOrderGraph::join(StepId target, StepId source) {
  uint32_t* const to = &clocks_[target * width_];
  const uint32_t* const from = &clocks_[source * width_];
  bool changed = false;
  const auto raise = [&](size_t thread, uint32_t clock) {
    if (clock <= to[thread]) return;
    changes_.push_back({target * width_ + thread, to[thread]});
    to[thread] = clock;
    changed = true;
  };
  for (size_t thread = 0; thread < width_; ++thread) raise(thread, from[thread]);
  raise(base_.thread(source), base_.place(source) + 1);
  if (!changed) return;
  cyclic_ |= to[base_.thread(target)] > base_.place(target);
  if (queued_[target] == 0) {
    queued_[target] = 1;
    queue_.push_back(target);
  }
}

bool WitnessOrderGraph::settle() {
  while (!queue_.empty() && !cyclic_) {
    const StepId step = queue_.back();
    queue_.pop_back();
    queued_[step] = 0;
    for (const ScopeId scope : base_.ended_by(step)) order_scopes(scope, step);
    if (base_.place(step) + 1 == lengths_[base_.thread(step)]) {
      for (const ScopeId scope : base_.open_after(step)) order_scopes(scope, step);
    }
    push_on(step);
  }
  return !cyclic_;
}

void WitnessOrderGraph::push_on(StepId step) {
  const auto push = [&](StepId target) {
    if (contains(target)) join(target, step);
  };
  if (step + 1 < base_.end(base_.thread(step))) push(step + 1);
  for (const StepId target : base_.sync_after(step)) push(target);
  for (const StepId reader : base_.readers(step)) {
    if (reader != broken_) push(reader);
  }
  for (uint32_t edge = first_edge_[step]; edge != kNone; edge = edges_[edge].next) {
    push(edges_[edge].edge.to);
  }
}

// `last` is the last step of the scope that is here. Of each thread, the last
// scope of the lock that begins before it must end before the scope begins; and
// with it all earlier ones.
void WitnessOrderGraph::order_scopes(ScopeId id, StepId last) {
  const Scope& scope = base_.scope(id);
  for (const ThreadScopes& theirs : base_.scopes_of(scope.lock)) {
    if (theirs.thread == scope.thread) continue;
    const uint32_t bound = before(last, theirs.thread);
    auto other = std::partition_point(
        theirs.scopes.begin(), theirs.scopes.end(),
        [&](ScopeId candidate) { return base_.place(base_.scope(candidate).begin) < bound; });
    if (scope.shared) {  // readers do not exclude readers
      while (other != theirs.scopes.begin() && base_.scope(*(other - 1)).shared) --other;
    }
    if (other == theirs.scopes.begin()) continue;
    const StepId end = base_.scope(*(other - 1)).end;
    if (end == kNone) {
      cyclic_ = true;  // it would have to end, and never does
      return;
    }
    if (before(scope.begin, theirs.thread) > base_.place(end)) continue;
    include(end);
    link(end, scope.begin);
  }
}

}  // namespace foretrace::nondeterminism
