// Eraser (Savage et al.; paper 000, section 6.2.2): a shared location that is
// written should have a lock that is held at every access.
#include <algorithm>
#include <optional>
#include <vector>

#include "analyses/analysis.h"
#include "analyses/race.h"
#include "base/table.h"
#include "base/text.h"

namespace foretrace {
namespace {

constexpr std::string_view kName = "lockset";

// The latest access, and the latest one by any other thread.
class Recent {
 public:
  void add(const Access& access) {
    if (latest_.epoch.thread() != access.epoch.thread()) other_ = latest_;
    latest_ = access;
  }
  std::optional<Access> latest() const { return known(latest_); }
  std::optional<Access> by_other_than(ThreadId thread) const {
    return known(latest_.epoch.thread() == thread ? other_ : latest_);
  }

 private:
  static std::optional<Access> known(const Access& access) {
    return access.epoch.is_zero() ? std::nullopt : std::optional(access);
  }
  Access latest_;
  Access other_;
};

// Eraser's states. In the first two nothing is checked, so that initialisation
// needs no lock; in `shared`, candidates shrink but an empty set is no error,
// so that read-only data needs none.
enum class Ownership : uint8_t { untouched, exclusive, shared, shared_modified };

struct Location {
  Ownership ownership = Ownership::untouched;
  bool reported = false;
  ThreadId owner = 0;                    // in `exclusive`
  LocksetId candidates = kEmptyLockset;  // from `shared` on
  Recent reads;
  Recent writes;
};

class Lockset : public Analysis {
 public:
  explicit Lockset(AnalysisContext context) : context_(std::move(context)), held_(locksets_) {}

  void process(const EventBatch& batch) override {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      if (event.op() == Op::skip) continue;
      if (event.resumes != 0) held_.resume(event);
      if (is_access(event.op())) {
        access(batch.first_index + i, event);
      } else {
        held_.advance(event);
      }
      ready_.advance(batch.first_index + i, event);
    }
  }

 private:
  void access(uint64_t index, const Event& event) {
    Location& x = slot(locations_, event.object);
    if (x.reported) return;
    // A reader lock protects a reader as well as any; it does not protect a writer.
    const LocksetId held = held_.held(event.thread);
    const LocksetId protecting =
        event.op() == Op::wr ? locksets_.exclusive_part(held) : locksets_.as_exclusive(held);
    const LocksetId before = x.candidates;
    const Ownership old = x.ownership;
    update(x, event, protecting);
    // Only the thread of the epoch matters here; 1 makes it an access.
    const Access current = {Epoch(event.thread, 1), index, event.site, held};
    if (x.ownership == Ownership::shared_modified && x.candidates == kEmptyLockset) {
      const bool first_check = old == Ownership::exclusive;
      report(x, event, current, first_check ? std::nullopt : std::optional(before));
    } else {
      (event.op() == Op::wr ? x.writes : x.reads).add(current);
    }
  }

  void update(Location& x, const Event& event, LocksetId protecting) {
    switch (x.ownership) {
      case Ownership::untouched:
        x.ownership = Ownership::exclusive;
        x.owner = event.thread;
        return;
      case Ownership::exclusive:
        if (x.owner == event.thread) return;
        x.ownership = event.op() == Op::wr ? Ownership::shared_modified : Ownership::shared;
        x.candidates = protecting;
        return;
      case Ownership::shared:
        if (event.op() == Op::wr) x.ownership = Ownership::shared_modified;
        [[fallthrough]];
      case Ownership::shared_modified:
        x.candidates = locksets_.intersection(x.candidates, protecting);
        return;
    }
  }

  // `before` is the set that this access emptied; none if it was the first to
  // be checked.
  void report(Location& x, const Event& event, const Access& current,
              std::optional<LocksetId> before) {
    x.reported = true;
    const auto [first, second] = clashing_pair(x, event, current);
    std::string reason;
    if (!before) {
      reason = "It is the first access by a second thread, and no lock protects it.";
    } else if (*before == kEmptyLockset) {
      reason = "It was shared without a common lock; now it is written.";
    } else {
      reason = fmt::format("No lock is held at every access: until now {} was, here it is not.",
                           names_of(*before));
    }
    const bool observed =
        second.access.index == current.index && ready_.ready_at(first.access.index, event);
    context_.propose(race_candidate(kName, context_.symbols, locksets_, event.object, first, second,
                                    observed, std::move(reason)));
  }

  // The current access with the latest earlier one that it clashes with; or, if
  // there is none (a read of what only this thread has written), that write with
  // another thread's read.
  static std::pair<RaceSide, RaceSide> clashing_pair(const Location& x, const Event& event,
                                                     const Access& current) {
    const std::optional<Access> write = x.writes.by_other_than(event.thread);
    const std::optional<Access> read = x.reads.by_other_than(event.thread);
    const RaceSide now = {event.op(), current};
    if (event.op() == Op::wr && read && (!write || write->index < read->index)) {
      return {RaceSide{Op::rd, *read}, now};
    }
    if (write) return {RaceSide{Op::wr, *write}, now};
    const RaceSide a = {Op::wr, x.writes.latest().value_or(current)};
    const RaceSide b = {Op::rd, read.value_or(current)};
    return a.access.index < b.access.index ? std::pair(a, b) : std::pair(b, a);
  }

  std::string names_of(LocksetId set) const {
    std::string names;
    for (const HeldLock& held : locksets_.locks(set)) {
      names += (names.empty() ? "" : ", ") + printable(context_.symbols.lock(held.lock));
    }
    return names;
  }

  AnalysisContext context_;
  LocksetTable locksets_;
  HeldLocks held_;
  ReadySince ready_;
  std::vector<Location> locations_;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "locations that no lock guards consistently (Eraser); may raise false alarms",
    .options = {},
    .needs_deciding = false,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Lockset>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
