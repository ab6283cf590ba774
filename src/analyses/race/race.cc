// The maximal race predictor: proposes every clashing pair that nothing obvious
// rules out; certify decides.
#include "analyses/race.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/analysis.h"
#include "base/hash.h"
#include "base/table.h"
#include "base/text.h"
#include "order/needed_before.h"

namespace foretrace {
namespace {

constexpr std::string_view kName = "race";

// So many pairs are collected without a look at what they look like.
constexpr uint64_t kFreePairs = 10'000;
// After these, of the accesses at one site under the same locks, this many of each
// thread are kept as partners for later accesses: of pairs that look the same, near
// ones.
constexpr size_t kKeptPerSite = 8;
// And of accesses at one site by one thread, this many kinds that differ in their
// locks: there may be a lock for each element of a table.
constexpr size_t kKeptLocksets = 16;
// The same when so many accesses were remembered, for the sake of memory.
constexpr uint64_t kFreeAccesses = 1'000'000;
// Of the pairs at the same two sites, this many are tried in any case, and more as
// long as pairs times events are no more than kFreeWork.
constexpr size_t kTriedPerSites = 64;
constexpr uint64_t kFreeWork = 1'000'000'000;

class Race : public Analysis {
 public:
  explicit Race(AnalysisContext context)
      : context_(std::move(context)),
        all_pairs_(context_.settings.flag(kAllPairsOption)),
        max_pairs_(context_.settings.count(kMaxPairsOption)),
        free_accesses_(all_pairs_ ? context_.settings.count(kMaxAccessesOption) : kFreeAccesses),
        held_(locksets_) {}

  void process(const EventBatch& batch) override {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& event = batch.events[i];
      const uint64_t index = batch.first_index + i;
      if (event.op() == Op::skip) continue;
      if (event.resumes != 0) {
        needed_.resume(event.thread);
        held_.resume(event);
      }
      if (is_access(event.op()) || is_atomic(event.op())) {
        access(index, event);
      } else {
        held_.advance(event);
      }
      needed_.advance(index, event);
      ready_.advance(index, event);
    }
    events_ = batch.first_index + batch.events.size();
  }

  // Of each group the pair whose second access comes earliest is reported.
  void finish() override {
    std::stable_sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) {
      return std::tuple(a.group, a.second.access.index, a.distance()) <
             std::tuple(b.group, b.second.access.index, b.distance());
    });
    drop_the_many();
    for (const Pair& pair : pairs_) {
      Candidate candidate = race_candidate(
          kName, context_.symbols, locksets_, pair.location, pair.first, pair.second, pair.observed,
          "Another schedule of the same run brings both to this point.");
      candidate.group = pair.group;
      candidate.only_if_certified = true;
      context_.propose(std::move(candidate));
    }
    locations_ = {};  // what comes next needs the memory
    pairs_ = {};
  }

  std::vector<std::string> notes() const override {
    if (left_out_ == 0) return {};
    return {fmt::format("race: {} were not looked at: too many like them ({})",
                        counted(left_out_, "pair"),
                        all_pairs_ ? "--max-pairs, --max-accesses" : "--all-pairs, --max-pairs")};
  }

 private:
  struct Pair {
    LocationId location;
    RaceSide first;
    RaceSide second;
    bool observed;
    uint64_t group;
    uint64_t distance() const { return second.access.index - first.access.index; }
  };
  // Of those, what looks alike.
  struct Alike {
    Op op;
    SiteId site;
    LocksetId held;
    uint64_t last;                   // of `accesses`
    std::vector<uint64_t> accesses;  // indexes
    uint64_t forgotten = 0;          // accesses by that thread at that site
    uint64_t last_forgotten = 0;

    bool is_at(const Event& event) const { return op == event.op() && site == event.site; }
    void forget(uint64_t count, uint64_t index) {
      forgotten += count;
      last_forgotten = std::max(last_forgotten, index);
    }
    void forget(const Alike& other) {
      if (other.forgotten > 0) forget(other.forgotten, other.last_forgotten);
      forget(other.accesses.size(), other.last);
    }
  };
  // The accesses of one location by one thread.
  struct OfThread {
    ThreadId thread;
    Epoch last = {};
    Epoch last_write = {};
    Epoch last_plain = {};  // not atomic, likewise
    Epoch last_plain_write = {};
    std::vector<Alike> kinds = {};

    // Of those that clash with an operation.
    Epoch last_against(Op op) const {
      if (is_access(op)) return writes(op) ? last : last_write;
      return writes(op) ? last_plain : last_plain_write;
    }
    void note(Op op, Epoch epoch) {
      last = epoch;
      if (writes(op)) last_write = epoch;
      if (is_access(op)) last_plain = epoch;
      if (op == Op::wr) last_plain_write = epoch;
    }
  };
  struct Group {
    uint64_t number = 0;
    uint64_t pairs = 0;
    bool observed = false;
  };

  void access(uint64_t index, const Event& event) {
    const Access current = {NeededBefore::epoch(index, event.thread), index, event.site,
                            held_.held(event.thread)};
    std::vector<OfThread>& threads = slot(locations_, event.object);
    OfThread* own = nullptr;
    for (OfThread& past : threads) {
      if (past.thread == event.thread) {
        own = &past;
        continue;
      }
      // Mostly that is all there is to see.
      const Epoch last = past.last_against(event.op());
      if (!last.is_zero() && !needed_.ordered(last, event.thread)) pair_up(past, event, current);
    }
    if (own == nullptr) own = &threads.emplace_back(OfThread{event.thread});
    own->note(event.op(), current.epoch);
    remember(own->kinds, event, current);
  }

  void pair_up(const OfThread& thread, const Event& event, const Access& current) {
    for (const Alike& kind : thread.kinds) {
      if (!clash(kind.op, event.op())) continue;
      const auto is_needed = [&](uint64_t index) {
        return needed_.ordered(NeededBefore::epoch(index, thread.thread), event.thread);
      };
      if (is_needed(kind.last)) continue;
      if (locksets_.exclude_each_other(kind.held, current.held)) continue;
      for (auto past = kind.accesses.rbegin(); past != kind.accesses.rend(); ++past) {
        if (is_needed(*past)) break;  // and all before it
        const Epoch epoch = NeededBefore::epoch(*past, thread.thread);
        add_pair({kind.op, {epoch, *past, kind.site, kind.held}}, event, current);
      }
      if (kind.forgotten > 0 && !is_needed(kind.last_forgotten)) {
        left_out_ += kind.forgotten;
      }
    }
  }

  void remember(std::vector<Alike>& kinds, const Event& event, const Access& current) {
    uint64_t& remembered = is_access(event.op()) ? remembered_plain_ : remembered_atomic_;
    ++remembered;
    const bool bounded = are_many() || remembered > free_accesses_;
    size_t locksets = 0;
    for (Alike& kind : kinds) {
      if (!kind.is_at(event)) continue;
      if (kind.held == current.held) return remember(kind, current.index, bounded);
      ++locksets;
    }
    Alike fresh = {event.op(), event.site, current.held, current.index, {current.index}};
    if (bounded && locksets >= kKeptLocksets) forget_locksets(kinds, event, fresh);
    kinds.push_back(std::move(fresh));
  }

  // All but those that were used last. `fresh` comes in their place.
  static void forget_locksets(std::vector<Alike>& kinds, const Event& event, Alike& fresh) {
    std::vector<uint64_t> lasts;
    for (const Alike& kind : kinds) {
      if (kind.is_at(event)) lasts.push_back(kind.last);
    }
    const auto first_kept = lasts.end() - static_cast<ptrdiff_t>(kKeptLocksets - 1);
    std::nth_element(lasts.begin(), first_kept, lasts.end());
    std::erase_if(kinds, [&](const Alike& kind) {
      if (!kind.is_at(event) || kind.last >= *first_kept) return false;
      fresh.forget(kind);
      return true;
    });
  }

  static void remember(Alike& kind, uint64_t index, bool bounded) {
    if (bounded && kind.accesses.size() >= kKeptPerSite) {
      const size_t surplus = kind.accesses.size() - kKeptPerSite + 1;
      kind.forget(surplus, kind.accesses[surplus - 1]);
      kind.accesses.erase(kind.accesses.begin(),
                          kind.accesses.begin() + static_cast<ptrdiff_t>(surplus));
    }
    kind.accesses.push_back(index);
    kind.last = index;
  }

  void add_pair(const RaceSide& first, const Event& event, const Access& current) {
    ++looked_at_;
    if (pairs_.size() >= max_pairs_) {
      ++left_out_;
      return;
    }
    Group& group = group_of(first, event, current);
    if (group.observed) {  // that is enough: later pairs are not needed
      if (first.access.site == kNoSite || event.site == kNoSite) ++left_out_;
      return;
    }
    if (++group.pairs > kTriedPerSites && are_many()) {
      ++left_out_;
      return;
    }
    group.observed = ready_.ready_at(first.access.index, event);
    pairs_.push_back({event.object, first, {event.op(), current}, group.observed, group.number});
  }

  // They are sorted.
  void drop_the_many() {
    if (all_pairs_) return;
    uint64_t free = kFreeWork / std::max<uint64_t>(events_, 1);
    uint64_t group = 0;
    size_t of_group = 0;
    const auto is_one_too_many = [&](const Pair& pair) {
      of_group = pair.group == group ? of_group + 1 : 1;
      group = pair.group;
      if (of_group <= kTriedPerSites) return false;
      if (free > 0) {
        --free;
        return false;
      }
      ++left_out_;
      return true;
    };
    pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), is_one_too_many), pairs_.end());
  }

  bool are_many() const { return !all_pairs_ && looked_at_ > kFreePairs; }

  // Pairs at the same two sites, on the same location, are one error. If all pairs
  // are wanted each pair is its own, and without sites, too, until there are many:
  // then those of the same two threads are one.
  Group& group_of(const RaceSide& first, const Event& event, const Access& current) {
    const bool has_sites = first.access.site != kNoSite && event.site != kNoSite;
    if (all_pairs_ || (!has_sites && !are_many())) {
      single_ = {++groups_made_, 0, false};
      return single_;
    }
    uint64_t a = looks_of(first);
    uint64_t b = looks_of({event.op(), current});
    if (a > b) std::swap(a, b);
    const uint64_t key = mixed(a) ^ mixed(mixed(b) + event.object);
    Group& group = groups_[key];
    if (group.number == 0) group.number = ++groups_made_;
    return group;
  }

  static uint64_t looks_of(const RaceSide& side) {
    const uint64_t write = writes(side.op) ? 1 : 0;
    if (side.access.site != kNoSite) return uint64_t{side.access.site} << 2 | write;
    return uint64_t{side.access.epoch.thread()} << 2 | 2 | write;
  }

  AnalysisContext context_;
  const bool all_pairs_;
  const uint64_t max_pairs_;
  const uint64_t free_accesses_;
  NeededBefore needed_;
  LocksetTable locksets_;
  HeldLocks held_;
  ReadySince ready_;
  std::vector<std::vector<OfThread>> locations_;
  tsl::robin_map<uint64_t, Group, IntegerHash> groups_;
  Group single_;
  uint64_t groups_made_ = 0;
  std::vector<Pair> pairs_;
  uint64_t events_ = 0;
  uint64_t looked_at_ = 0;  // pairs
  uint64_t remembered_plain_ = 0;
  uint64_t remembered_atomic_ = 0;
  uint64_t left_out_ = 0;
};

const AnalysisRegistration registration({
    .name = kName,
    .summary = "every race of another schedule that can be proven from this trace",
    .options = {kAllPairsOption, kMaxPairsOption, kMaxAccessesOption},
    .needs_deciding = true,
    .ignores_ordered_accesses = true,
    .only_races = true,
    .create = [](AnalysisContext context) -> std::unique_ptr<Analysis> {
      return std::make_unique<Race>(std::move(context));
    },
});

}  // namespace
}  // namespace foretrace
