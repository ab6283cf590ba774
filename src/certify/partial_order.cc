#include "certify/partial_order.h"

#include <algorithm>

namespace foretrace {

void PartialOrder::reset(std::vector<uint32_t> begins, std::vector<uint32_t> lengths) {
  begins_ = std::move(begins);
  lengths_ = std::move(lengths);
  threads_.clear();
  column_.assign(lengths_.size(), 0);
  first_.assign(lengths_.size(), 0);
  total_ = 0;
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    if (lengths_[thread] == begins_[thread]) continue;
    column_[thread] = static_cast<uint32_t>(threads_.size());
    first_[thread] = static_cast<uint32_t>(total_);
    threads_.push_back(thread);
    total_ += lengths_[thread] - begins_[thread];
  }
  edges_.clear();
  clocks_.resize(total_ * threads_.size());
}

bool PartialOrder::close() {
  // Edges by target, so that each step finds what comes before it.
  std::sort(edges_.begin(), edges_.end(),
            [&](const OrderEdge& a, const OrderEdge& b) { return number(a.to) < number(b.to); });
  const size_t width = threads_.size();
  std::vector<size_t> next_edge(width);
  std::vector<uint32_t> done(lengths_.size());  // by thread
  for (size_t c = 0; c < width; ++c) {
    done[threads_[c]] = begins_[threads_[c]];
    next_edge[c] =
        static_cast<size_t>(std::partition_point(edges_.begin(), edges_.end(),
                                                 [&](const OrderEdge& edge) {
                                                   return number(edge.to) < first_[threads_[c]];
                                                 }) -
                            edges_.begin());
  }
  // Each thread goes on as far as what its next step waits for has been done.
  size_t left = total_;
  for (bool progress = true; progress && left > 0;) {
    progress = false;
    for (size_t c = 0; c < width; ++c) {
      const ThreadId thread = threads_[c];
      for (uint32_t& place = done[thread]; place < lengths_[thread]; ++place, --left) {
        const Step step = {thread, place};
        size_t edge = next_edge[c];
        if (!is_ready(step, edge, done)) break;
        start_clock(step);
        for (; next_edge[c] < edge; ++next_edge[c]) join(step, edges_[next_edge[c]].from);
        progress = true;
      }
    }
  }
  return left == 0;
}

// Whether all edges into the step, from number `edge` on, start at steps that are
// done; if so, `edge` is then the first one after them.
bool PartialOrder::is_ready(Step step, size_t& edge, const std::vector<uint32_t>& done) const {
  for (; edge < edges_.size() && edges_[edge].to == step; ++edge) {
    const Step from = edges_[edge].from;
    if (from.place >= done[from.thread]) return false;
  }
  return true;
}

void PartialOrder::start_clock(Step step) {
  const size_t width = threads_.size();
  uint32_t* const clock = &clocks_[row(step)];
  if (step.place > begins_[step.thread]) {
    std::copy(clock - width, clock, clock);
  } else {
    for (size_t c = 0; c < width; ++c) clock[c] = begins_[threads_[c]];
  }
  clock[column_[step.thread]] = step.place;
}

void PartialOrder::join(Step step, Step from) {
  const size_t width = threads_.size();
  uint32_t* const clock = &clocks_[row(step)];
  const uint32_t* const theirs = &clocks_[row(from)];
  for (size_t c = 0; c < width; ++c) clock[c] = std::max(clock[c], theirs[c]);
  uint32_t& known = clock[column_[from.thread]];
  known = std::max(known, from.place + 1);
}

}  // namespace foretrace
