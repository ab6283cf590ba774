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
// how many of that thread's steps come before. Steps of the past come before all
// others; nothing more is asked about them.
class PartialOrder {
 public:
  // `lengths[t]`: how many steps of thread t belong to the set; `begins[t]`: how
  // many of them are past.
  void reset(std::vector<uint32_t> begins, std::vector<uint32_t> lengths);

  uint32_t begin(ThreadId thread) const { return begins_[thread]; }
  uint32_t length(ThreadId thread) const { return lengths_[thread]; }
  bool contains(Step step) const { return step.place < lengths_[step.thread]; }
  // The threads that have steps in the set that are not past.
  std::span<const ThreadId> threads() const { return threads_; }
  // The number of those steps.
  size_t size() const { return total_; }

  // Both steps belong to the set, the second is not past. Takes effect with close().
  void add(const OrderEdge& edge) {
    if (edge.from.place >= begins_[edge.from.thread]) edges_.push_back(edge);
  }
  // Computes the order from all edges; false if they make a cycle.
  bool close();

  // The number of steps of `thread` that come strictly before `step`.
  uint32_t before(Step step, ThreadId thread) const {
    if (lengths_[thread] == begins_[thread]) return begins_[thread];
    return clocks_[row(step) + column_[thread]];
  }
  // Strictly before.
  bool ordered(Step a, Step b) const { return before(b, a.thread) > a.place; }

 private:
  size_t number(Step step) const {
    return size_t{first_[step.thread]} + step.place - begins_[step.thread];
  }
  size_t row(Step step) const { return number(step) * threads_.size(); }
  bool is_ready(Step step, size_t& edge, const std::vector<uint32_t>& done) const;
  void start_clock(Step step);
  void join(Step step, Step from);

  std::vector<uint32_t> begins_;
  std::vector<uint32_t> lengths_;
  std::vector<ThreadId> threads_;
  std::vector<uint32_t> column_;  // by thread
  std::vector<uint32_t> first_;   // by thread: the number of its first step
  size_t total_ = 0;
  std::vector<OrderEdge> edges_;
  std::vector<uint32_t> clocks_;  // by step and column
};

}  // namespace foretrace
