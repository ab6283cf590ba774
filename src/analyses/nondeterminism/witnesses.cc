#include "analyses/nondeterminism/witnesses.h"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/interrupt.h"

namespace foretrace::nondeterminism {
namespace {

bool reads(const Model::Node& node) {
  return node.kind == Model::Kind::read || node.kind == Model::Kind::read_write;
}

}  // namespace

std::string_view name_of(Order order) {
  constexpr std::array<std::string_view, 3> kNames = {"c-r-w", "c-r", "w-c-r"};
  return kNames[static_cast<size_t>(order)];
}

WitnessFinder::WitnessFinder(const Model& model, const Limits& limits)
    : model_(model),
      limits_(limits),
      base_(model),
      graph_(base_),
      choices_(graph_, limits.choice_graphs, limits.work) {}

void WitnessFinder::run(const std::function<void(const NondeterministicRead&)>& found) {
  found_ = &found;
  for (ThreadId thread = 0; thread < model_.thread_count(); ++thread) {
    // What a read needs, the next one of its thread needs too: the graph grows.
    graph_.clear();
    for (StepId step = base_.first(thread); step < base_.end(thread); ++step) {
      if (reads(model_.nodes(thread)[base_.place(step)])) examine(step);
    }
  }
}

void WitnessFinder::examine(StepId read) {
  const std::vector<Model::ThreadWrites>& writes =
      model_.writes(model_.nodes(base_.thread(read))[base_.place(read)].object);
  const bool sees_initial = base_.writer(read) == kNone;
  uint64_t possible = sees_initial ? 0 : 3;
  for (const Model::ThreadWrites& theirs : writes)
    possible += 3 * challengers_from(read, theirs, 0);
  if (counts_.possible + possible > limits_.witnesses || interrupted() ||
      graph_.work() + choices_.work() > limits_.work) {
    counts_.left_out += possible;
    return;
  }
  counts_.possible += possible;

  if (base_.place(read) > 0) graph_.include(read - 1);
  graph_.settle();  // a part of the trace, which has no cycle
  graph_.keep();
  const WitnessOrderGraph::Mark whole = graph_.mark();
  graph_.break_read(read);
  graph_.settle();
  if (!sees_initial) try_orders(read, kNone);
  for (const Model::ThreadWrites& theirs : writes) {
    const WitnessOrderGraph::Mark broken = graph_.mark();
    challenge_from(read, theirs);
    graph_.roll_back(broken);
  }
  graph_.roll_back(whole);
}

// Of the writes from the given one on, how many are neither the read itself nor
// what it saw.
uint64_t WitnessFinder::challengers_from(StepId read, const Model::ThreadWrites& writes,
                                         size_t first) const {
  if (first == writes.places.size()) return 0;
  const StepId from = base_.step(writes.thread, writes.places[first]);
  const StepId end = base_.end(writes.thread);
  const auto is_one_of_them = [&](StepId write) { return write >= from && write < end; };
  uint64_t count = writes.places.size() - first;
  if (is_one_of_them(base_.writer(read))) --count;
  const Model::Node& node = model_.nodes(base_.thread(read))[base_.place(read)];
  if (node.kind == Model::Kind::read_write && is_one_of_them(read)) --count;
  return count;
}

bool WitnessFinder::needs(StepId step, StepId needed) const {
  if (base_.thread(step) == base_.thread(needed)) return step >= needed;
  return base_.clock(step)[base_.thread(needed)] > base_.place(needed);
}

// Each challenger of a thread comes after those before it, so the graph only
// grows; and once it has a cycle, it has one for all that follow.
void WitnessFinder::challenge_from(StepId read, const Model::ThreadWrites& writes) {
  for (size_t i = 0; i < writes.places.size(); ++i) {
    const StepId challenger = base_.step(writes.thread, writes.places[i]);
    if (challenger == base_.writer(read)) continue;
    if (!needs(challenger, read)) {
      graph_.add_edge(challenger, read);
      if (graph_.settle()) {
        try_orders(read, challenger);
        continue;
      }
    }
    return reject(3 * challengers_from(read, writes, i));
  }
}

void WitnessFinder::try_orders(StepId read, StepId challenger) {
  std::optional<Order> feasible;
  if (try_instead_of_writer(read, challenger)) feasible = Order::instead_of_writer;
  if (try_without_writer(read, challenger)) feasible = Order::without_writer;
  if (try_before_writer(read, challenger)) feasible = Order::before_writer;
  if (feasible) (*found_)({read, challenger, *feasible});
}

// c-r: the writer is not needed for the read or the challenger. The write of the
// initial value always happens.
bool WitnessFinder::try_without_writer(StepId read, StepId challenger) {
  const StepId writer = base_.writer(read);
  if (writer == kNone || graph_.contains(writer)) {
    reject(1);
    return false;
  }
  const Edge edge = {challenger, read};
  return decide(std::span(&edge, challenger == kNone ? 0 : 1));
}

// c-r-w. Whatever is needed comes before the read, and so before the writer.
bool WitnessFinder::try_before_writer(StepId read, StepId challenger) {
  const StepId writer = base_.writer(read);
  if (writer == kNone || graph_.contains(writer)) {
    reject(1);
    return false;
  }
  const WitnessOrderGraph::Mark mark = graph_.mark();
  graph_.add_edge(read, writer);
  const bool acyclic = graph_.settle();
  bool feasible = false;
  if (acyclic) {
    const std::array<Edge, 2> edges = {{{read, writer}, {challenger, read}}};
    feasible = decide(std::span(edges).first(challenger == kNone ? 1 : 2));
  } else {
    reject(1);
  }
  graph_.roll_back(mark);
  return feasible;
}

// w-c-r. The initial value comes before every write, and after none.
bool WitnessFinder::try_instead_of_writer(StepId read, StepId challenger) {
  if (challenger == kNone) {
    reject(1);
    return false;
  }
  const StepId writer = base_.writer(read);
  const std::array<Edge, 2> edges = {{{challenger, read}, {writer, challenger}}};
  if (writer == kNone) return decide(std::span(edges).first(1));
  if (needs(writer, challenger)) {
    reject(1);
    return false;
  }
  const WitnessOrderGraph::Mark mark = graph_.mark();
  graph_.add_edge(writer, challenger);
  bool feasible = false;
  if (graph_.settle()) {
    feasible = decide(edges);
  } else {
    reject(1);
  }
  graph_.roll_back(mark);
  return feasible;
}

bool WitnessFinder::decide(std::span<const Edge> witness_edges) {
  const ChoiceResult result = choices_.decide(witness_edges);
  if (result.pairs == 0) {
    ++counts_.without_choices;
    return true;
  }
  ++counts_.with_choices;
  counts_.choice_graphs += std::exp2(static_cast<double>(result.pairs));
  counts_.explored_graphs += result.explored;
  counts_.undecided += result.feasibility == Feasibility::undecided ? 1 : 0;
  const bool feasible = result.feasibility != Feasibility::infeasible;
  counts_.infeasible_choices += feasible ? 0 : 1;
  return feasible;
}

void WitnessFinder::reject(uint64_t witnesses) { counts_.cyclic += witnesses; }

}  // namespace foretrace::nondeterminism
