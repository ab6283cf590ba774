// One search for a correct reordering that reaches a goal.
#pragma once

#include <vector>

#include "certify/certify.h"
#include "certify/partial_order.h"
#include "order/model.h"

namespace foretrace {

// How it works. The smallest set of steps that the goal needs is closed under
// program order, `needs` and reads-from; every reordering that reaches the goal
// contains it. Put into the order of the trace it is a correct reordering but
// for one thing: sections that end outside of the set, with other sections of
// their lock behind them. So the search starts with what is forced (saturate()),
// then tries to play the set through in trace order (Player), and where two
// sections or a write and a read get into each other's way, it tries one order
// of the two, then the other. Each such decision is an edge, and may make the
// set larger: a section that is to come first must end. All decisions together
// leave nothing out, so when all fail there is no reordering.
class Search {
 public:
  Search(const Model& model, const Goal& goal, uint64_t budget);
  Certificate run();

 private:
  enum class Outcome { good, bad, grown };  // grown: the set must be closed again

  Verdict solve();
  // The set in the order of the trace, if that is a correct reordering.
  bool take_trace_order();
  bool is_last_of_its_lock(Step acquire) const;
  bool play_unsaturated();
  Step last_write_seen() const;
  bool close_set();
  bool require(Step step);
  bool require_thread(ThreadId thread, uint32_t length);

  Outcome build_order();
  Outcome saturate();
  Outcome saturate_reads(bool& changed);
  Outcome saturate_read(Step read, bool& changed);
  Outcome saturate_locks(bool& changed);
  Outcome saturate_sections(const std::vector<Model::ThreadSections>& lock, bool& changed);
  Outcome force(const OrderEdge& edge, bool& changed);
  bool can_grow(ThreadId thread) const { return limits_[thread] > lengths_[thread]; }

  bool spend();  // for going through the set once
  Step writer_of(Step read) const { return redirected_.writer_of(model_, read); }

  const Model& model_;
  const Goal& goal_;
  uint64_t budget_;
  uint64_t spent_ = 0;
  Redirected redirected_;          // the read of Goal::other_read, if there is one
  std::vector<uint32_t> limits_;   // by thread: how many steps may be in the set
  std::vector<OrderEdge> edges_;   // the goal's, decisions, and what they forced into the set
  std::vector<uint32_t> lengths_;  // the set, by thread
  std::vector<Step> reads_;        // of the set
  std::vector<LockId> locks_;      // that the set acquires
  PartialOrder order_;
  std::vector<uint64_t> schedule_;
};

}  // namespace foretrace
