#include "analyses/mb/embracer.h"

#include "base/text.h"

namespace foretrace::mb {

// NOLINTNEXTLINE(performance-unnecessary-value-param): as all analyses are made.
Embracer::Embracer(AnalysisContext context, const MustBeforeOptions& options, bool all_pairs)
    : order_(options),
      reports_(context, hb_.locksets()),
      pending_(reports_, all_pairs),
      window_(options.window) {
  if (all_pairs) all_pairs_.emplace(*this, context.settings);
}

void Embracer::process(const EventBatch& batch) {
  constexpr size_t kAhead = 12;  // far enough to hide a cache miss, near enough to stay
  for (size_t i = 0; i < batch.events.size(); ++i) {
    if (i + kAhead < batch.events.size()) order_.prefetch(batch.events[i + kAhead]);
    const Event& event = batch.events[i];
    if (event.op() == Op::skip) continue;
    const uint64_t index = batch.first_index + i;
    if (order_.due(index)) settle(index);
    if (event.resumes != 0) {
      hb_.resume(event);
      order_.resume(index, event);
    }
    if (is_access(event.op())) {
      access(index, event);
    } else {
      hb_.synchronise(index, event);
      order_.advance(index, event);
    }
  }
}

void Embracer::access(uint64_t index, const Event& event) {
  const Access current = hb_.begin(index, event);
  if (all_pairs_) {
    all_pairs_->hb_finder.access(event, current, hb_);
    all_pairs_->finder.access(event, current, all_pairs_->clashes);
  } else {
    hb_.find_first_race(order_, event, current);
  }
  Stretch& before = order_.stretch(event.thread);
  order_.access(
      index, event, current.held, [&](Epoch read) { return hb_.ordered(read, event.thread); },
      [&](const Stretch& stretch, const std::vector<MustBefore::Clash>& clashes) {
        if (all_pairs_ || pending_.is_racy(event.object)) return;
        for (const auto& [op, past] : clashes) add_clash(past.side(op), event, current, stretch);
      });
  if (!clashes_.empty() || !hb_.found().empty()) {
    pending_.add(before, event.object, index, clashes_, hb_.found());
    clashes_.clear();
    hb_.found().clear();
  }
  hb_.end(index, event);
}

void Embracer::add_clash(const RaceSide& first, const Event& event, const Access& second,
                         const Stretch& before) {
  clashes_.push_back({event.object,
                      first,
                      {event.op(), second},
                      hb_.observed(first, event),
                      before.past.get(first.access.epoch.thread()) != 0});
}

void Embracer::settle(uint64_t index) {
  if (order_.overdue(index)) {
    const uint64_t unordered = pending_.unordered();
    order_.force(index);
    undecided_ += unordered - pending_.unordered();
  }
  order_.settle(index, [&](Stretch& stretch) { pending_.decide(stretch); });
}

void Embracer::finish() {
  order_.finish([&](Stretch& stretch) { pending_.decide(stretch); });
}

std::vector<std::string> Embracer::notes() const {
  std::vector<std::string> notes = reports_.notes(all_pairs_ ? all_pairs_->finder.missed() : 0);
  const MustBeforeStatistics statistics = order_.statistics();
  if (statistics.forced > 0) {
    notes.push_back(fmt::format(
        "mb: {} stayed in question for more than {} and were taken as happens-before has them; "
        "{} left undecided and not reported (--mb-window)",
        counted(statistics.forced, "critical section"), counted(window_, "event"),
        undecided_ == 1 ? "1 pair was" : counted(undecided_, "pair") + " were"));
  }
  if (statistics.forgotten > 0) {
    notes.push_back(fmt::format(
        "mb: critical sections that had been forgotten were asked for {}, and the next later ones "
        "taken instead: races may be missing (--mb-window)",
        counted(statistics.forgotten, "time")));
  }
  return notes;
}

}  // namespace foretrace::mb
