// The happens-before race detector (paper 000, section 8.1), with epochs as in
// FastTrack.
#include <memory>
#include <string>
#include <vector>

#include "analyses/analysis.h"
#include "analyses/race_finder.h"
#include "order/happens_before.h"

namespace foretrace {
namespace {

constexpr std::string_view kName = "hb";

// Happens-before at the current point of the trace, and what reports need.
class HbState {
 public:
  explicit HbState(AnalysisContext context) : context_(std::move(context)) {}

  void resume(const Event& event) {
    order_.resume(event.thread);
    accesses_.resume(event);
  }
  void synchronise(uint64_t index, const Event& event) {
    order_.advance(event);
    accesses_.synchronise(index, event);
  }
  Access begin(uint64_t index, const Event& event) {
    return accesses_.begin(index, event, order_.epoch(event.thread));
  }
  // An atomic operation, which is checked when it knows what it has learnt.
  template <typename Check>
  void operate(uint64_t index, const Event& event, const Check& check) {
    const Access current = begin(index, event);
    order_.advance(event);
    check(current);
    accesses_.synchronise(index, event);
  }
  void end(uint64_t index, const Event& event) { accesses_.end(index, event); }

  bool ordered(const Access& past, ThreadId thread) { return order_.ordered(past.epoch, thread); }

  void propose(const RaceSide& first, const Event& event, const Access& second) {
    const ThreadId earlier = first.access.epoch.thread();
    const bool heard = order_.clock(event.thread).get(earlier) != 0;
    Candidate candidate =
        race_candidate(kName, context_.symbols, accesses_.locksets(), event.object, first,
                       {event.op(), second}, accesses_.observed(first.access, event),
                       unordered_by_hb(context_.symbols, earlier, event.thread, heard));
    if (accesses_.relaxed_since(first.access)) candidate.detail["relaxed"] = true;
    context_.propose(std::move(candidate));
  }

 private:
  AnalysisContext context_;
  HappensBefore order_;
  AccessContext accesses_;
};

class FirstPairs : public Analysis {
 public:
  explicit FirstPairs(AnalysisContext context) : state_(std::move(context)) {}

  void process(const EventBatch& batch) override { find_races(batch, finder_, state_); }

 private:
  HbState state_;
  FirstPairFinder<HbState> finder_;
};

class AllPairs : public Analysis {
 public:
  explicit AllPairs(AnalysisContext context)
      : finder_(context.settings), state_(std::move(context)) {}

  void process(const EventBatch& batch) override { find_races(batch, finder_, state_); }

  std::vector<std::string> notes() const override {
    return pair_limit_notes(kName, finder_.pairs(), finder_.max_pairs(), finder_.missed());
  }

 private:
  AllPairFinder<HbState> finder_;
  HbState state_;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "data races that the trace's synchronisation does not order (happens-before)",
    .options = {kAllPairsOption, kMaxPairsOption, kMaxAccessesOption},
    .needs_deciding = false,
    .ignores_ordered_accesses = true,
    .only_races = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      if (context.settings.flag(kAllPairsOption)) {
        return std::make_unique<AllPairs>(std::move(context));
      }
      return std::make_unique<FirstPairs>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
