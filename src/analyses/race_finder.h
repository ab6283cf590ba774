// Finds races of an order over events, whichever order that is.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "analyses/race.h"
#include "base/table.h"
#include "trace/batch.h"

namespace foretrace {

// What the finders need to know of an order at the current point of the trace.
// The order must be transitive and closed under program order on both sides
// (a < b, b before c in one thread: a < c; and the same in front).
template <typename Order>
concept RaceOrder = requires(Order order, const Access& past, ThreadId thread,
                             const RaceSide& first, const Event& event) {
  // `past`, by another thread, is ordered before `thread`'s current event.
  { order.ordered(past, thread) } -> std::convertible_to<bool>;
  // `first` races with `event`, whose access is `second`.
  order.propose(first, event, past);
};

// For each racy location the pair whose second access comes earliest, and of
// its partners the latest. FastTrack's way: as long as a location has no race,
// its writes are totally ordered and its last write stands for all of them, and
// so does its last read unless reads are concurrent.
template <RaceOrder Order>
class FirstPairFinder {
 public:
  FirstPairFinder() = default;
  ~FirstPairFinder() {
    locations_.for_each([](const Location& location) { delete location.readers; });
  }
  FirstPairFinder(const FirstPairFinder&) = delete;
  FirstPairFinder& operator=(const FirstPairFinder&) = delete;

  // Call some events ahead of access(). (Inlined, or GCC takes a call for one that
  // has no effect, and drops it.)
  [[gnu::always_inline]] void prefetch(const Event& event) const {
    if (is_access(event.op()) && event.object < locations_.size()) {
      __builtin_prefetch(&locations_[event.object], 1);
    }
  }

  void access(const Event& event, const Access& current, Order& order) {
    Location& x = slot(locations_, event.object);
    if (x.racy) return;
    if (event.op() == Op::rd) {
      read(x, event, current, order);
    } else {
      write(x, event, current, order);
    }
  }

  // An atomic operation, which may race with plain accesses.
  void operate(const Event& event, const Access& current, Order& order) {
    Location& x = slot(locations_, event.object);
    if (x.racy) return;
    const auto first =
        writes(event.op()) ? racing_with_write(x, event, order) : racing_with_read(x, event, order);
    if (first) return report(x, *first, event, current, order);
    x.has_operations = true;
    remember_operation(operations_[event.object], {event.op(), current});
  }

 private:
  // One cache line.
  struct alignas(64) Location {
    Access write;
    Access read;                   // the last read, while reads are ordered
    std::vector<Access>* readers;  // else the last read of each thread, by thread
    bool racy;                     // reported; nothing more is kept
    bool has_operations;           // since the last write
  };
  static_assert(sizeof(Location) == 64);

  // The latest of the accesses that race with another one.
  class Latest {
   public:
    Latest(ThreadId thread, Order& order) : thread_(thread), order_(order) {}
    void consider(Op op, const Access& past) {
      if (ordered(past, thread_, order_)) return;
      if (!found_ || past.index > found_->access.index) found_ = RaceSide{op, past};
    }
    const std::optional<RaceSide>& found() const { return found_; }

   private:
    const ThreadId thread_;
    Order& order_;
    std::optional<RaceSide> found_;
  };

  static bool ordered(const Access& past, ThreadId thread, Order& order) {
    return past.epoch.is_zero() || past.epoch.thread() == thread || order.ordered(past, thread);
  }

  void read(Location& x, const Event& event, const Access& current, Order& order) {
    if (x.has_operations || !ordered(x.write, event.thread, order)) {
      if (const auto first = racing_with_read(x, event, order)) {
        return report(x, *first, event, current, order);
      }
    }
    if (x.readers != nullptr) {
      remember_reader(*x.readers, current);
    } else if (ordered(x.read, event.thread, order)) {
      x.read = current;  // this read comes after every other one
    } else {
      x.readers = new std::vector<Access>{x.read};
      remember_reader(*x.readers, current);
    }
  }

  void write(Location& x, const Event& event, const Access& current, Order& order) {
    // Mostly that is all there is to see.
    const bool is_simple = x.readers == nullptr && !x.has_operations;
    if (!is_simple || !ordered(x.write, event.thread, order) ||
        !ordered(x.read, event.thread, order)) {
      if (const auto first = racing_with_write(x, event, order)) {
        return report(x, *first, event, current, order);
      }
    }
    x.write = current;
    x.read = Access();  // all reads come before this write, which stands for them
    if (x.readers != nullptr) forget_readers(x);
    if (x.has_operations) forget_operations(x, event.object);  // likewise
  }

  [[gnu::noinline]] std::optional<RaceSide> racing_with_read(const Location& x, const Event& event,
                                                             Order& order) const {
    Latest latest(event.thread, order);
    latest.consider(Op::wr, x.write);
    if (x.has_operations) consider_operations(event, latest);
    return latest.found();
  }

  [[gnu::noinline]] std::optional<RaceSide> racing_with_write(const Location& x, const Event& event,
                                                              Order& order) const {
    Latest latest(event.thread, order);
    latest.consider(Op::wr, x.write);
    if (x.readers == nullptr) {
      latest.consider(Op::rd, x.read);
    } else {
      for (const Access& reader : *x.readers) latest.consider(Op::rd, reader);
    }
    if (x.has_operations) consider_operations(event, latest);
    return latest.found();
  }

  void consider_operations(const Event& event, Latest& latest) const {
    for (const RaceSide& past : operations_.at(event.object)) {
      if (clash(past.op, event.op())) latest.consider(past.op, past.access);
    }
  }

  static void remember_reader(std::vector<Access>& readers, const Access& access) {
    const auto place = std::lower_bound(
        readers.begin(), readers.end(), access.epoch.thread(),
        [](const Access& reader, ThreadId thread) { return reader.epoch.thread() < thread; });
    if (place != readers.end() && place->epoch.thread() == access.epoch.thread()) {
      *place = access;
    } else {
      readers.insert(place, access);
    }
  }

  // The last of each thread that writes, and the last that does not.
  static void remember_operation(std::vector<RaceSide>& operations, const RaceSide& operation) {
    const auto is_like_it = [&](const RaceSide& past) {
      return past.access.epoch.thread() == operation.access.epoch.thread() &&
             writes(past.op) == writes(operation.op);
    };
    const auto place = std::find_if(operations.begin(), operations.end(), is_like_it);
    if (place != operations.end()) {
      *place = operation;
    } else {
      operations.push_back(operation);
    }
  }

  static void forget_readers(Location& x) {
    delete x.readers;
    x.readers = nullptr;
  }
  void forget_operations(Location& x, LocationId location) {
    x.has_operations = false;
    operations_.erase(location);
  }

  void report(Location& x, const RaceSide& first, const Event& event, const Access& second,
              Order& order) {
    order.propose(first, event, second);
    x.racy = true;
    forget_readers(x);
    forget_operations(x, event.object);
  }

  LargeTable<Location> locations_;
  tsl::robin_map<LocationId, std::vector<RaceSide>> operations_;  // atomic ones
};

// Every racing pair; keeps every access up to `max_accesses`, and after that at least
// the latest kKeptOfEach of each location, thread and operation. The accesses of one
// thread that race with a new access are the latest ones of that thread, so the cost
// beyond one step per access and thread is the number of pairs.
template <RaceOrder Order>
class AllPairFinder {
 public:
  explicit AllPairFinder(const AnalysisSettings& settings)
      : AllPairFinder(settings, settings.count(kMaxPairsOption)) {}
  AllPairFinder(const AnalysisSettings& settings, uint64_t max_pairs)
      : max_pairs_(max_pairs), max_accesses_(settings.count(kMaxAccessesOption)) {}

  uint64_t pairs() const { return pairs_; }
  uint64_t max_pairs() const { return max_pairs_; }
  // Of the accesses that were not kept, how many were not known to be ordered before
  // an access that they clash with.
  uint64_t missed() const { return missed_; }

  void access(const Event& event, const Access& current, Order& order) {
    std::vector<History>& histories = slot(locations_, event.object);
    racing_.clear();
    for (const History& history : histories) {
      if (history.thread == event.thread || !clash(history.op, event.op())) continue;
      collect(history.op, history.accesses, event.thread, order);
    }
    std::sort(racing_.begin(), racing_.end(),
              [](const RaceSide& a, const RaceSide& b) { return a.access.index < b.access.index; });
    for (const RaceSide& first : racing_) {
      if (++pairs_ <= max_pairs_) order.propose(first, event, current);
    }
    keep(history_of(histories, event.thread, event.op()).accesses, current);
  }
  // Atomic operations, which may race with plain accesses, likewise.
  void operate(const Event& event, const Access& current, Order& order) {
    access(event, current, order);
  }

 private:
  static constexpr size_t kKeptOfEach = 64;

  struct Accesses {
    std::vector<Access> kept;
    uint64_t forgotten = 0;  // before those
    Access last_forgotten = {};
  };
  // The accesses of one location by one thread and operation, in trace order.
  struct History {
    ThreadId thread = 0;
    Op op = Op::rd;
    Accesses accesses = {};
  };

  void keep(Accesses& accesses, const Access& access) {
    std::vector<Access>& kept = accesses.kept;
    if (kept_ >= max_accesses_ && kept.size() >= 2 * kKeptOfEach) {
      const size_t surplus = kept.size() - kKeptOfEach;
      accesses.forgotten += surplus;
      accesses.last_forgotten = kept[surplus - 1];
      kept.erase(kept.begin(), kept.begin() + static_cast<ptrdiff_t>(surplus));
      kept_ -= surplus;
    }
    kept.push_back(access);
    ++kept_;
  }

  void collect(Op op, const Accesses& past, ThreadId thread, Order& order) {
    for (auto it = past.kept.rbegin(); it != past.kept.rend(); ++it) {
      if (order.ordered(*it, thread)) return;  // and all before it
      racing_.push_back({op, *it});
    }
    if (past.forgotten > 0 && !order.ordered(past.last_forgotten, thread)) {
      missed_ += past.forgotten;
    }
  }

  static History& history_of(std::vector<History>& histories, ThreadId thread, Op op) {
    const auto place = std::lower_bound(histories.begin(), histories.end(), std::pair(thread, op),
                                        [](const History& history, const auto& wanted) {
                                          return std::pair(history.thread, history.op) < wanted;
                                        });
    if (place != histories.end() && place->thread == thread && place->op == op) return *place;
    return *histories.insert(place, History{thread, op});
  }

  const uint64_t max_pairs_;
  const uint64_t max_accesses_;
  uint64_t kept_ = 0;
  uint64_t missed_ = 0;
  uint64_t pairs_ = 0;
  std::vector<std::vector<History>> locations_;
  std::vector<RaceSide> racing_;  // reused
};

// Takes a batch through a finder. `state` is the order, and notes what goes into
// reports: resume(), synchronise(), begin() and end() as AccessContext has them. If it has
// operate(), races of atomic operations with plain accesses are looked for, too.
template <typename Finder, typename State>
void find_races(const EventBatch& batch, Finder& finder, State& state) {
  constexpr size_t kAhead = 12;  // far enough to hide a cache miss, near enough to stay
  for (size_t i = 0; i < batch.events.size(); ++i) {
    if constexpr (requires(const Event& event) { finder.prefetch(event); }) {
      if (i + kAhead < batch.events.size()) finder.prefetch(batch.events[i + kAhead]);
    }
    const Event& event = batch.events[i];
    const uint64_t index = batch.first_index + i;
    if (event.op() == Op::skip) continue;
    if (event.resumes != 0) state.resume(event);
    if (is_access(event.op())) {
      finder.access(event, state.begin(index, event), state);
      state.end(index, event);
      continue;
    }
    const auto check = [&](const Access& current) { finder.operate(event, current, state); };
    if constexpr (requires { state.operate(index, event, check); }) {
      if (is_atomic(event.op())) {
        state.operate(index, event, check);
        continue;
      }
    }
    state.synchronise(index, event);
  }
}

// What an analysis says when it found more pairs than it lists, or may have missed some.
std::vector<std::string> pair_limit_notes(std::string_view analysis, uint64_t pairs,
                                          uint64_t max_pairs, uint64_t missed);

}  // namespace foretrace
