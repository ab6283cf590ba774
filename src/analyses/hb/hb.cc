#include "analyses/hb/hb.h"

#include "base/text.h"

namespace foretrace {

void HbState::propose(const RaceSide& first, const Event& event, const Access& second) {
  const RaceSide side = {event.op(), second};
  const bool observed = ready_.ready_at(first.access.index, event);
  context_.propose(race_candidate(kHbName, context_.symbols, locksets_, event.object, first, side,
                                  observed, reason(first, side)));
}

std::string HbState::reason(const RaceSide& first, const RaceSide& second) {
  const ThreadId earlier = first.access.epoch.thread();
  const ThreadId later = second.access.epoch.thread();
  const std::string from = printable(context_.symbols.thread(earlier));
  const std::string to = printable(context_.symbols.thread(later));
  if (order_.clock(later).get(earlier) == 0) {
    return fmt::format("Nothing orders them: no release, fork, join, notify, volatile write or "
                       "barrier of thread {} has reached thread {}.",
                       from, to);
  }
  return fmt::format("Nothing orders them: what thread {} last learnt of thread {}, through locks "
                     "or otherwise, is older than the first access.",
                     to, from);
}

namespace {

const AnalysisRegistration registration({
    .name = kHbName,
    .summary = "data races that the trace's synchronisation does not order (happens-before)",
    .options = {kAllPairsOption, kMaxPairsOption},
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return context.settings.flag(kAllPairsOption) ? make_hb_all_pairs(std::move(context))
                                                    : make_hb_first_pairs(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
