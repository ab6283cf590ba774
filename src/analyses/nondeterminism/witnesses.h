// Goes through all possible witnesses of nondeterminism of a trace (paper 001,
// Figure 8).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyses/nondeterminism/choices.h"
#include "analyses/nondeterminism/partial_order_graph.h"
#include "analyses/nondeterminism/witness_order_graph.h"
#include "order/model.h"

namespace foretrace::nondeterminism {

// How a read comes to see a challenger instead of its writer.
enum class Order : uint8_t {
  before_writer,     // c-r-w: the writer comes later
  without_writer,    // c-r: the writer does not happen
  instead_of_writer  // w-c-r: the challenger overwrites
};
std::string_view name_of(Order order);

// A read that another write can be seen by, as far as the graphs can tell. kNone
// is the initial value.
struct NondeterministicRead {
  StepId read;
  StepId challenger;
  Order order;  // of those that are feasible, the first in the list above
};

// The columns of the paper's Table A1 that count witnesses. Each triplet of a
// read, its writer and a challenger makes three of them, one for each order.
struct WitnessCounts {
  uint64_t possible = 0;         // column 2
  uint64_t cyclic = 0;           // column 3: a cycle in the witness order graph
  uint64_t without_choices = 0;  // column 4: feasible at once
  uint64_t with_choices = 0;     // column 5
  double choice_graphs = 0;      // the sum behind column 6: 2^|S_choice|
  uint64_t explored_graphs = 0;  // the sum behind column 7
  uint64_t infeasible_choices = 0;
  uint64_t undecided = 0;  // choices that the limit left open
  uint64_t left_out = 0;   // possible ones that were not looked at

  uint64_t feasible() const { return without_choices + with_choices - infeasible_choices; }
  uint64_t infeasible() const { return cyclic + infeasible_choices; }
};

class WitnessFinder {
 public:
  struct Limits {
    uint64_t witnesses;      // to look at
    uint64_t work;           // in clock entries that are looked at
    uint64_t choice_graphs;  // to explore, for one witness
  };
  WitnessFinder(const Model& model, const Limits& limits);

  // Calls `found` for each read and challenger that have a feasible witness.
  void run(const std::function<void(const NondeterministicRead&)>& found);

  const PartialOrderGraph& graph() const { return base_; }
  const WitnessCounts& counts() const { return counts_; }

 private:
  void examine(StepId read);
  void challenge_from(StepId read, const Model::ThreadWrites& writes);
  // The challenger comes before the read, and the graph says so.
  void try_orders(StepId read, StepId challenger);
  bool try_without_writer(StepId read, StepId challenger);
  bool try_before_writer(StepId read, StepId challenger);
  bool try_instead_of_writer(StepId read, StepId challenger);
  bool decide(std::span<const Edge> witness_edges);
  bool needs(StepId step, StepId needed) const;
  void reject(uint64_t witnesses);
  uint64_t challengers_from(StepId read, const Model::ThreadWrites& writes, size_t first) const;

  const Model& model_;
  const Limits limits_;
  PartialOrderGraph base_;
  WitnessOrderGraph graph_;
  ChoiceSearch choices_;
  WitnessCounts counts_;
  const std::function<void(const NondeterministicRead&)>* found_ = nullptr;
};

}  // namespace foretrace::nondeterminism
