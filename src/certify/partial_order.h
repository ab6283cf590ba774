// What is known about the order of a set of steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "order/model.h"

namespace foretrace {

struct OrderEdge {
  Step from;
  Step to;
  bool operator==(const OrderEdge&) const = default;
};

// A partial order over a set of steps that is a prefix of every thread: program
// order and added edges, closed transitively. For each step and thread it knows
// how many of that thread's steps come before.
class PartialOrder {
 public:
  // `lengths[t]`: how many steps of thread t belong to the set.
  void reset(std::vector<uint32_t> lengths);

  uint32_t length(ThreadId thread) const { return lengths_[thread]; }
  bool contains(Step step) const { return step.place < lengths_[step.thread]; }
  // The threads that have steps in the set.
  std::span<const ThreadId> threads() const { return threads_; }
  size_t size() const { return total_; }

  // Both steps belong to the set. Takes effect with close().
  void add(const OrderEdge& edge) { edges_.push_back(edge); }
  // Computes the order from all edges; false if they make a cycle.
  bool close();

  // The number of steps of `thread` that come strictly before `step`.
  uint32_t before(Step step, ThreadId thread) const {
    return lengths_[thread] == 0 ? 0 : clocks_[row(step) + column_[thread]];
  }
  // Strictly before.
  bool ordered(Step a, Step b) const { return before(b, a.thread) > a.place; }

 private:
  size_t row(Step step) const {
    return (size_t{first_[step.thread]} + step.place) * threads_.size();
  }

  std::vector<uint32_t> lengths_;
  std::vector<ThreadId> threads_;
  std::vector<uint32_t> column_;  // by thread
  std::vector<uint32_t> first_;   // by thread: the number of its first step
  size_t total_ = 0;
  std::vector<OrderEdge> edges_;
  std::vector<uint32_t> clocks_;  // by step and column
};

}  // namespace foretrace
