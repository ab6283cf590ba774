// The happens-before race detector (paper 000, section 8.1), with epochs as in
// FastTrack.
#include <memory>
#include <string>

#include "analyses/analysis.h"
#include "analyses/race_finder.h"
#include "base/text.h"
#include "order/happens_before.h"
#include "order/lockset.h"

namespace foretrace {
namespace {

constexpr std::string_view kName = "hb";

// Happens-before at the current point of the trace, and what reports need.
class HbState {
 public:
  explicit HbState(AnalysisContext context) : context_(std::move(context)), held_(locksets_) {}

  // For every event that is not an access.
  void synchronise(uint64_t index, const Event& event) {
    if (event.resumes != 0) resume(event);
    order_.advance(event);
    held_.advance(event);
    ready_.advance(index, event);
  }
  // Before and after the checks of every access.
  Access begin(uint64_t index, const Event& event) {
    if (event.resumes != 0) resume(event);
    return {order_.epoch(event.thread), index, event.site, held_.held(event.thread)};
  }
  void end(uint64_t index, const Event& event) { ready_.advance(index, event); }

  bool ordered(const Access& past, ThreadId thread) { return order_.ordered(past.epoch, thread); }

  void propose(const RaceSide& first, const Event& event, const Access& second) {
    const RaceSide side = {event.op(), second};
    const bool observed = ready_.ready_at(first.access.index, event);
    context_.propose(race_candidate(kName, context_.symbols, locksets_, event.object, first, side,
                                    observed, reason(first, side)));
  }

 private:
  void resume(const Event& event) {
    order_.resume(event.thread);
    held_.resume(event);
  }

  std::string reason(const RaceSide& first, const RaceSide& second) {
    const ThreadId earlier = first.access.epoch.thread();
    const ThreadId later = second.access.epoch.thread();
    const std::string from = printable(context_.symbols.thread(earlier));
    const std::string to = printable(context_.symbols.thread(later));
    if (order_.clock(later).get(earlier) == 0) {
      return fmt::format(
          "Nothing orders them: no release, fork, join, notify, volatile write or "
          "barrier of thread {} has reached thread {}.",
          from, to);
    }
    return fmt::format(
        "Nothing orders them: what thread {} last learnt of thread {}, through "
        "locks or otherwise, is older than the first access.",
        to, from);
  }

  AnalysisContext context_;
  HappensBefore order_;
  LocksetTable locksets_;
  HeldLocks held_;
  ReadySince ready_;
};

class FirstPairs : public Analysis {
 public:
  explicit FirstPairs(AnalysisContext context) : state_(std::move(context)) {}

  void process(const EventBatch& batch) override {
    constexpr size_t kAhead = 12;  // far enough to hide a cache miss, near enough to stay
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (i + kAhead < batch.events.size()) finder_.prefetch(batch.events[i + kAhead]);
      const uint64_t index = batch.first_index + i;
      if (is_access(event.op())) {
        finder_.access(event, state_.begin(index, event), state_);
        state_.end(index, event);
      } else if (event.op() != Op::skip) {
        state_.synchronise(index, event);
      }
    }
  }

 private:
  HbState state_;
  FirstPairFinder<HbState> finder_;
};

class AllPairs : public Analysis {
 public:
  explicit AllPairs(AnalysisContext context)
      : finder_(context.settings.count(kMaxPairsOption)), state_(std::move(context)) {}

  void process(const EventBatch& batch) override {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      const uint64_t index = batch.first_index + i;
      if (is_access(event.op())) {
        finder_.access(event, state_.begin(index, event), state_);
        state_.end(index, event);
      } else if (event.op() != Op::skip) {
        state_.synchronise(index, event);
      }
    }
  }

  std::vector<std::string> notes() const override {
    return pair_limit_notes(kName, finder_.pairs(), finder_.max_pairs());
  }

 private:
  AllPairFinder<HbState> finder_;
  HbState state_;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "data races that the trace's synchronisation does not order (happens-before)",
    .options = {kAllPairsOption, kMaxPairsOption},
    .needs_deciding = false,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      if (context.settings.flag(kAllPairsOption)) {
        return std::make_unique<AllPairs>(std::move(context));
      }
      return std::make_unique<FirstPairs>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
