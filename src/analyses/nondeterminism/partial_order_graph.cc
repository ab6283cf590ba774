#include "analyses/nondeterminism/partial_order_graph.h"

#include <algorithm>

namespace foretrace::nondeterminism {

namespace {

// For each step the numbers that belong to it.
using Entries = std::vector<std::pair<StepId, uint32_t>>;

Lists<uint32_t> lists_of(size_t steps, const Entries& entries) {
  return Lists<uint32_t>(steps, [&](const auto& found) {
    for (const auto& [step, value] : entries) found(step, value);
  });
}

}  // namespace

PartialOrderGraph::PartialOrderGraph(const Model& model) {
  number_steps(model);
  add_edges(model);
  compute_clocks();
  add_scopes(model);
}

void PartialOrderGraph::number_steps(const Model& model) {
  first_.push_back(0);
  for (ThreadId thread = 0; thread < model.thread_count(); ++thread) {
    for (const Model::Node& node : model.nodes(thread)) {
      thread_.push_back(thread);
      index_.push_back(node.index);
    }
    first_.push_back(static_cast<StepId>(thread_.size()));
  }
}

void PartialOrderGraph::add_edges(const Model& model) {
  Entries before;
  Entries after;
  Entries readers;
  writer_.assign(size(), kNone);
  for (ThreadId thread = 0; thread < model.thread_count(); ++thread) {
    for (const Model::Need& need : model.needs(thread)) {
      const StepId to = step(thread, need.place);
      before.push_back({to, step(need.step)});
      after.push_back({step(need.step), to});
    }
    for (StepId read = first(thread); read < end(thread); ++read) {
      const Step writer = model.nodes(thread)[place(read)].writer;
      if (writer == kNoStep) continue;
      writer_[read] = step(writer);
      readers.push_back({writer_[read], read});
    }
  }
  sync_before_ = lists_of(size(), before);
  sync_after_ = lists_of(size(), after);
  readers_ = lists_of(size(), readers);
}

std::vector<StepId> PartialOrderGraph::in_trace_order() const {
  std::vector<StepId> steps(size());
  for (StepId step = 0; step < steps.size(); ++step) steps[step] = step;
  // Two steps of one event are of one thread, and in program order already.
  std::stable_sort(steps.begin(), steps.end(),
                   [&](StepId a, StepId b) { return index_[a] < index_[b]; });
  return steps;
}

// All edges go forward in the trace.
void PartialOrderGraph::compute_clocks() {
  clocks_.assign(size() * thread_count(), 0);
  for (const StepId step : in_trace_order()) {
    if (place(step) > 0) join_into(step, step - 1);
    for (const StepId source : sync_before(step)) join_into(step, source);
    if (writer_[step] != kNone) join_into(step, writer_[step]);
  }
}

void PartialOrderGraph::join_into(StepId target, StepId source) {
  const size_t width = thread_count();
  uint32_t* const to = &clocks_[target * width];
  const uint32_t* const from = &clocks_[source * width];
  for (size_t thread = 0; thread < width; ++thread) to[thread] = std::max(to[thread], from[thread]);
  to[thread_[source]] = std::max(to[thread_[source]], place(source) + 1);
}

void PartialOrderGraph::add_scopes(const Model& model) {
  by_lock_.resize(model.lock_count());
  by_thread_.resize(thread_count());
  Entries ended;
  for (LockId lock = 0; lock < model.lock_count(); ++lock) {
    for (const Model::ThreadSections& theirs : model.sections(lock)) {
      ThreadScopes& list = by_lock_[lock].emplace_back(ThreadScopes{theirs.thread, {}});
      for (const Model::Section& section : theirs.sections) {
        const auto id = static_cast<ScopeId>(scopes_.size());
        const bool ends = section.end != Model::kNever;
        scopes_.push_back({lock, theirs.thread, step(theirs.thread, section.begin),
                           ends ? step(theirs.thread, section.end) : kNone, section.shared});
        list.scopes.push_back(id);
        by_thread_[theirs.thread].push_back(id);
        if (ends) ended.push_back({scopes_.back().end, id});
      }
    }
  }
  ended_by_ = lists_of(size(), ended);
  open_after_.resize(size());
  outermost_begin_.resize(size());
  outermost_end_.resize(size());
  for (ThreadId thread = 0; thread < thread_count(); ++thread) find_open_scopes(thread);
}

void PartialOrderGraph::find_open_scopes(ThreadId thread) {
  std::vector<ScopeId>& scopes = by_thread_[thread];
  std::sort(scopes.begin(), scopes.end(),
            [&](ScopeId a, ScopeId b) { return scopes_[a].begin < scopes_[b].begin; });
  auto next = scopes.begin();
  std::vector<uint32_t> open;
  uint32_t list = 0;  // which of open_ has the content of `open`
  StepId outermost = first(thread);
  for (StepId step = first(thread); step < end(thread); ++step) {
    if (open.empty()) outermost = step;
    outermost_begin_[step] = outermost;
    const std::vector<uint32_t> before = open;
    for (; next != scopes.end() && scopes_[*next].begin == step; ++next) open.push_back(*next);
    for (const ScopeId ended : ended_by(step)) std::erase(open, ended);
    if (open != before) {
      list = open.empty() ? 0 : static_cast<uint32_t>(open_.size());
      if (!open.empty()) open_.push_back(open);
    }
    open_after_[step] = list;
  }
  for (StepId step = end(thread); step-- > first(thread);) {
    const bool goes_on = step + 1 < end(thread) && outermost_begin_[step + 1] <= step;
    outermost_end_[step] = goes_on ? outermost_end_[step + 1] : step;
  }
}

}  // namespace foretrace::nondeterminism
