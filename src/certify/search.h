// One search for a correct reordering that reaches a goal.
#pragma once

#include <vector>

#include "certify/certify.h"
#include "certify/partial_order.h"
#include "certify/player.h"
#include "certify/window.h"
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
//
// With a window, all this is about the steps in it. If its past is kept, a
// schedule that is found is one of the whole trace; if it is ignored, a
// contradiction that is found is one.
class Search {
 public:
  Search(const Model& model, const Goal& goal, const Window& window, uint64_t budget);

  // Whether the smallest set itself, in the order of the trace, reaches the goal.
  // Infeasible if there is no such set, undecided if it is not as easy as that.
  Verdict try_trace_order();
  // Whether what is forced contradicts itself.
  bool contradicts();
  Verdict solve();

  const Schedule& schedule() const { return schedule_; }
  uint64_t spent() const { return spent_; }

 private:
  enum class Outcome { good, bad, grown };  // grown: the set must be closed again

  // The set in the order of the trace, if that is a correct reordering.
  bool take_trace_order();
  bool is_last_of_its_lock(Step acquire) const;
  bool play_unsaturated();
  Player make_player() const;
  void take_schedule(const Player& player);
  Step last_write_seen() const;
  bool past_hides_initial_value() const;

  bool close_set();
  bool close_over_needs();
  bool require(Step step);
  bool require_thread(ThreadId thread, uint32_t length);
  bool require_needs_of(ThreadId thread);
  // The part of the past that the schedule needs: by thread, how many steps.
  std::vector<uint32_t> needed_past();
  bool require_ends_of_sections(const std::vector<uint32_t>& ends_of_past);
  // The index after the last event of the thread's first `length` steps.
  uint64_t end_of(ThreadId thread, uint32_t length) const;

  // ---- what is forced (saturate.cc)
  Outcome build_order();
  void order_thread(ThreadId thread);
  void order_heard(ThreadId thread, const Model::Need& need);
  bool others_write(Step read) const;
  Outcome saturate();
  Outcome saturate_reads(bool& changed);
  Outcome saturate_read(Step read, bool& changed);
  bool follows_past(Step step, Step past) const;
  Outcome saturate_read_of_past(Step read, Step writer, bool& changed);
  Outcome saturate_locks(bool& changed);
  Outcome saturate_sections(const std::vector<Model::ThreadSections>& lock, bool& changed);
  Outcome saturate_section(ThreadId thread, const Model::Section& section,
                           const Model::ThreadSections& theirs, bool& changed);
  Outcome saturate_section_of_past(ThreadId thread, const Model::Section& section,
                                   const Model::ThreadSections& theirs, bool& changed);
  Outcome force(const OrderEdge& edge, bool& changed);

  bool spend();  // for going through the set once

  const Model& model_;
  const Goal& goal_;
  const Window window_;
  const uint64_t budget_;
  uint64_t spent_ = 0;
  std::vector<uint32_t> limits_;  // by thread: how many steps may be in the set
  std::vector<uint32_t> begins_;  // by thread: its first step in the window
  ReadsFrom reads_from_;
  std::vector<OrderEdge> edges_;   // the goal's, decisions, and what they forced into the set
  std::vector<uint32_t> lengths_;  // the set, by thread, with the past
  std::vector<Step> reads_;        // of the set, that other threads may disturb
  std::vector<LockId> locks_;      // that the set acquires
  PartialOrder order_;
  Schedule schedule_;
};

}  // namespace foretrace
