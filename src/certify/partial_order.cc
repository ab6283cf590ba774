#include "certify/partial_order.h"

#include <algorithm>

namespace foretrace {

void PartialOrder::reset(std::vector<uint32_t> lengths) {
  lengths_ = std::move(lengths);
  threads_.clear();
  column_.assign(lengths_.size(), 0);
  first_.assign(lengths_.size(), 0);
  total_ = 0;
  for (ThreadId thread = 0; thread < lengths_.size(); ++thread) {
    if (lengths_[thread] == 0) continue;
    column_[thread] = static_cast<uint32_t>(threads_.size());
    first_[thread] = static_cast<uint32_t>(total_);
    threads_.push_back(thread);
    total_ += lengths_[thread];
  }
  edges_.clear();
  clocks_.assign(total_ * threads_.size(), 0);
}

bool PartialOrder::close() {
  // Edges by target, so that each step finds what comes before it.
  std::sort(edges_.begin(), edges_.end(), [&](const OrderEdge& a, const OrderEdge& b) {
    return first_[a.to.thread] + a.to.place < first_[b.to.thread] + b.to.place;
  });
  const size_t width = threads_.size();
  std::vector<size_t> next_edge(width);
  std::vector<uint32_t> done(width);
  for (size_t c = 0; c < width; ++c) {
    const Step start = {threads_[c], 0};
    next_edge[c] = static_cast<size_t>(
        std::lower_bound(edges_.begin(), edges_.end(), first_[start.thread],
                         [&](const OrderEdge& edge, uint32_t first) {
                           return first_[edge.to.thread] + edge.to.place < first;
                         }) -
        edges_.begin());
  }
  // Each thread goes on as far as what its next step waits for has been done.
  size_t left = total_;
  for (bool progress = true; progress && left > 0;) {
    progress = false;
    for (size_t c = 0; c < width; ++c) {
      const ThreadId thread = threads_[c];
      for (; done[c] < lengths_[thread]; ++done[c], --left, progress = true) {
        const Step step = {thread, done[c]};
        size_t edge = next_edge[c];
        bool ready = true;
        for (; edge < edges_.size() && edges_[edge].to == step; ++edge) {
          const Step from = edges_[edge].from;
          if (from.place >= done[column_[from.thread]]) {
            ready = false;
            break;
          }
        }
        if (!ready) break;
        uint32_t* const clock = &clocks_[row(step)];
        if (step.place > 0) {
          const uint32_t* const previous = clock - width;
          std::copy(previous, previous + width, clock);
        }
        clock[c] = step.place;
        for (; next_edge[c] < edge; ++next_edge[c]) {
          const Step from = edges_[next_edge[c]].from;
          const uint32_t* const theirs = &clocks_[row(from)];
          for (size_t k = 0; k < width; ++k) clock[k] = std::max(clock[k], theirs[k]);
          clock[column_[from.thread]] = std::max(clock[column_[from.thread]], from.place + 1);
        }
      }
    }
  }
  return left == 0;
}

}  // namespace foretrace
