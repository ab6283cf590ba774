// The graph of one witness (paper 001, section III.A): what its events need, in
// the order that the witness asks for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyses/nondeterminism/partial_order_graph.h"

namespace foretrace::nondeterminism {

struct Edge {
  StepId from;
  StepId to;
};

// G'(ω). Its steps are those that the events of the witness need. (The paper
// takes all steps of the trace. But what comes after the broken read need not
// happen, so what the rest of the trace asks for must not rule a witness out.)
// Its edges are program order, synchronisation, the read-couples but for the
// broken one, the witness's own, and the induced ones: if one scope of a lock
// begins before another one's end, it ends before that begins.
//
// It is kept closed by vector clocks, one for each step, and changed little by
// little: what a witness adds can be taken back. So witnesses that have much in
// common, such as those of one read, share the work.
class WitnessOrderGraph {
 public:
  explicit WitnessOrderGraph(const PartialOrderGraph& graph);

  // No steps, no edges.
  void clear();
  // Adds the step and all that it needs.
  void include(StepId step);
  // Adds the read without its read-couple. One read may be broken at a time, and
  // steps after it must not be there yet.
  void break_read(StepId read);
  // Adds an edge and what its ends need.
  void add_edge(StepId from, StepId to);
  // Adds all induced edges. False if there is a cycle; the graph is then good for
  // nothing but roll_back() and clear().
  bool settle();

  // What the graph was at a point of time, to go back to.
  struct Mark {
    size_t changes;
    size_t lengths;
    size_t edges;
    StepId broken;
  };
  Mark mark() const { return {changes_.size(), length_changes_.size(), edges_.size(), broken_}; }
  void roll_back(const Mark& mark);
  // Marks that were made are not needed any more.
  void keep();

  // What it cost so far: how many clock entries were written for new steps.
  uint64_t work() const { return work_; }

  const PartialOrderGraph& base() const { return base_; }
  bool contains(StepId step) const { return base_.place(step) < lengths_[base_.thread(step)]; }
  uint32_t length(ThreadId thread) const { return lengths_[thread]; }
  // How many steps of the thread come before the step.
  uint32_t before(StepId step, ThreadId thread) const { return clocks_[step * width_ + thread]; }
  StepId broken() const { return broken_; }
  // Whether the order of the trace, with the broken read at the end, keeps all
  // edges.
  bool trace_order_keeps_edges() const { return backward_edges_ == 0; }

 private:
  struct LinkedEdge {
    Edge edge;
    uint32_t next;  // edge from the same step; kNone: there is no other
  };
  struct Change {
    size_t place;
    uint32_t old;
  };
  struct LengthChange {
    ThreadId thread;
    uint32_t old;
  };

  void grow(ThreadId thread, uint32_t length);
  void pull_new();
  bool depends_on_broken(StepId step) const;
  // The source, and what comes before it, comes before the target.
  void join(StepId target, StepId source);
  void link(StepId from, StepId to);
  bool is_backward(const Edge& edge) const;
  void push_on(StepId step);
  void order_scopes(ScopeId scope, StepId last);

  const PartialOrderGraph& base_;
  const size_t width_;
  std::vector<uint32_t> lengths_;  // by thread: how many of its steps are here
  std::vector<uint32_t> clocks_;   // by step and thread; only of steps that are here
  StepId broken_ = kNone;
  bool cyclic_ = false;
  std::vector<LinkedEdge> edges_;
  std::vector<uint32_t> first_edge_;  // by step: the last one that was added
  uint32_t backward_edges_ = 0;
  uint64_t work_ = 0;
  std::vector<StepId> new_;    // steps whose edges are not looked at yet
  std::vector<StepId> queue_;  // steps whose clock has changed
  std::vector<char> queued_;   // by step
  std::vector<Change> changes_;
  std::vector<LengthChange> length_changes_;
};

}  // namespace foretrace::nondeterminism
