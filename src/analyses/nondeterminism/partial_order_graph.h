// The graph that every witness of nondeterminism starts from (paper 001,
// section II): the steps of a trace, program order, synchronisation and
// read-couples; and the locked scopes, which are not edges of it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/lists.h"
#include "order/model.h"

namespace foretrace::nondeterminism {

// A step of the trace; those of one thread are consecutive, in program order.
using StepId = uint32_t;
inline constexpr StepId kNone = std::numeric_limits<StepId>::max();

// A locked scope: from an acquire to its release.
struct Scope {
  LockId lock;
  ThreadId thread;
  StepId begin;
  StepId end;  // kNone: held at the end of the trace
  bool shared;
};
using ScopeId = uint32_t;

// The scopes of one lock in one thread, in program order.
struct ThreadScopes {
  ThreadId thread;
  std::vector<ScopeId> scopes;
};

// Built once for a trace. For each step and thread it knows how many steps of
// that thread must come before, if locks are left aside and every read keeps its
// write: a vector clock. The clock of a step is also the set of steps that it
// needs, because what cannot come before it need not happen at all.
class PartialOrderGraph {
 public:
  explicit PartialOrderGraph(const Model& model);

  size_t thread_count() const { return first_.size() - 1; }
  size_t size() const { return thread_.size(); }
  StepId first(ThreadId thread) const { return first_[thread]; }
  StepId end(ThreadId thread) const { return first_[thread + 1]; }
  StepId step(ThreadId thread, uint32_t place) const { return first_[thread] + place; }
  StepId step(Step step) const { return first_[step.thread] + step.place; }
  ThreadId thread(StepId step) const { return thread_[step]; }
  uint32_t place(StepId step) const { return step - first_[thread_[step]]; }
  uint64_t index(StepId step) const { return index_[step]; }

  std::span<const uint32_t> clock(StepId step) const {
    return std::span(clocks_).subspan(step * thread_count(), thread_count());
  }
  // For reads: the write of its read-couple; kNone for the initial value, and for
  // steps that are no reads.
  StepId writer(StepId step) const { return writer_[step]; }
  // The edges from and to other threads, but for read-couples; and the reads that
  // see a write, by thread and in program order.
  std::span<const uint32_t> sync_before(StepId step) const { return sync_before_[step]; }
  std::span<const uint32_t> sync_after(StepId step) const { return sync_after_[step]; }
  std::span<const uint32_t> readers(StepId write) const { return readers_[write]; }

  const Scope& scope(ScopeId scope) const { return scopes_[scope]; }
  std::span<const Scope> scopes() const { return scopes_; }
  std::span<const ThreadScopes> scopes_of(LockId lock) const { return by_lock_[lock]; }
  // Those of one thread, in the order of their acquires.
  std::span<const ScopeId> scopes_in(ThreadId thread) const { return by_thread_[thread]; }
  // The scopes that are open after a step, and those that end with it.
  std::span<const uint32_t> open_after(StepId step) const { return open_[open_after_[step]]; }
  std::span<const uint32_t> ended_by(StepId step) const { return ended_by_[step]; }
  // The first and the last step of the outermost scope around a step; the step
  // itself if there is none. (Of scopes that overlap without nesting: of all of
  // them together.)
  StepId outermost_begin(StepId step) const { return outermost_begin_[step]; }
  StepId outermost_end(StepId step) const { return outermost_end_[step]; }

 private:
  void number_steps(const Model& model);
  void add_edges(const Model& model);
  void compute_clocks();
  void join_into(StepId target, StepId source);
  void add_scopes(const Model& model);
  void find_open_scopes(ThreadId thread);
  std::vector<StepId> in_trace_order() const;

  std::vector<StepId> first_;  // by thread, and the number of steps
  std::vector<ThreadId> thread_;
  std::vector<uint64_t> index_;
  std::vector<StepId> writer_;
  Lists<uint32_t> sync_before_;
  Lists<uint32_t> sync_after_;
  Lists<uint32_t> readers_;
  std::vector<uint32_t> clocks_;

  std::vector<Scope> scopes_;
  std::vector<std::vector<ThreadScopes>> by_lock_;
  std::vector<std::vector<ScopeId>> by_thread_;
  std::vector<std::vector<uint32_t>> open_ = {{}};  // lists of open scopes, each new one once
  std::vector<uint32_t> open_after_;                // by step: which list
  Lists<uint32_t> ended_by_;
  std::vector<StepId> outermost_begin_;
  std::vector<StepId> outermost_end_;
};

}  // namespace foretrace::nondeterminism
