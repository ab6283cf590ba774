// All racing pairs: keeps every access. The accesses of one thread that race
// with a new access are the latest ones of that thread (its clocks only grow),
// so the cost beyond one step per access and thread is the number of pairs.
#include <algorithm>
#include <memory>
#include <vector>

#include "analyses/hb/hb.h"
#include "base/text.h"

namespace foretrace {
namespace {

// The accesses of one location by one thread, in trace order.
struct History {
  ThreadId thread = 0;
  std::vector<Access> reads;
  std::vector<Access> writes;
};

class AllPairs : public Analysis {
 public:
  explicit AllPairs(AnalysisContext context)
      : state_(std::move(context)), max_pairs_(state_.settings().count(kMaxPairsOption)) {}

  void process(const EventBatch& batch) override {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      const uint64_t index = batch.first_index + i;
      if (is_access(event.op())) {
        access(index, event);
      } else if (event.op() != Op::skip) {
        state_.synchronise(index, event);
      }
    }
  }

  std::vector<std::string> notes() const override {
    if (pairs_ <= max_pairs_) return {};
    return {fmt::format("hb: {} race; only the first {} are listed (--max-pairs)",
                        counted(pairs_, "pair"), with_commas(max_pairs_))};
  }

 private:
  void access(uint64_t index, const Event& event) {
    const Access current = state_.begin(index, event);
    if (event.object >= locations_.size()) {
      locations_.resize(std::max<size_t>(event.object + 1, locations_.size() * 2));
    }
    std::vector<History>& histories = locations_[event.object];
    racing_.clear();
    for (const History& history : histories) {
      if (history.thread == event.thread) continue;
      collect(Op::wr, history.writes, event.thread);
      if (event.op() == Op::wr) collect(Op::rd, history.reads, event.thread);
    }
    std::sort(racing_.begin(), racing_.end(), [](const RaceSide& a, const RaceSide& b) {
      return a.access.index < b.access.index;
    });
    for (const RaceSide& first : racing_) {
      if (++pairs_ <= max_pairs_) state_.propose(first, event, current);
    }
    History& own = history_of(histories, event.thread);
    (event.op() == Op::wr ? own.writes : own.reads).push_back(current);
    state_.end(index, event);
  }

  void collect(Op op, const std::vector<Access>& past, ThreadId thread) {
    for (auto it = past.rbegin(); it != past.rend() && !state_.ordered(*it, thread); ++it) {
      racing_.push_back({op, *it});
    }
  }

  static History& history_of(std::vector<History>& histories, ThreadId thread) {
    const auto place =
        std::lower_bound(histories.begin(), histories.end(), thread,
                         [](const History& history, ThreadId t) { return history.thread < t; });
    if (place != histories.end() && place->thread == thread) return *place;
    return *histories.insert(place, History{thread, {}, {}});
  }

  HbState state_;
  const uint64_t max_pairs_;
  uint64_t pairs_ = 0;
  std::vector<std::vector<History>> locations_;
  std::vector<RaceSide> racing_;  // reused
};

}  // namespace

std::unique_ptr<Analysis> make_hb_all_pairs(AnalysisContext context) {
  return std::make_unique<AllPairs>(std::move(context));
}

}  // namespace foretrace
