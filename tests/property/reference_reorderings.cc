#include "property/reference_reorderings.h"

#include <algorithm>
#include <map>
#include <optional>

#include "property/reference_order.h"
#include "trace/memory_reader.h"

namespace foretrace::testing {
namespace {

constexpr int64_t kInitial = -1;

// Everything that what comes next depends on.
struct State {
  std::vector<size_t> done;                // by thread
  std::map<uint32_t, int64_t> last_write;  // by location
  std::set<ThreadId> deaf;                 // began to wait after a notify that they need
  auto operator<=>(const State&) const = default;
};

class Explorer {
 public:
  explicit Explorer(const Trace& trace)
      : trace_(trace), threads_(trace.symbols->names(Space::thread).size()) {
    std::map<uint32_t, int64_t> last;
    for (size_t i = 0; i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      if (event.op() == Op::skip) continue;
      threads_[event.thread].push_back(i);
      if (space_of(event.op()) != Space::location) continue;
      if (event.op() != Op::wr && event.op() != Op::vwr && event.op() != Op::awr) {
        saw_[i] = last.contains(event.object) ? last[event.object] : kInitial;
      }
      if (event.op() != Op::rd && event.op() != Op::vrd && event.op() != Op::ard)
        last[event.object] = static_cast<int64_t>(i);
    }
  }

  Reachable run() {
    visit({std::vector<size_t>(threads_.size()), {}, {}});
    result_.states = seen_.size();
    return result_;
  }

  bool can_order(const std::vector<std::pair<uint64_t, uint64_t>>& pairs) {
    return can_order_from({std::vector<size_t>(threads_.size()), {}, {}}, pairs);
  }

 private:
  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    note_races(state);
    note_deadlocks(state);
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      const std::optional<size_t> i = next(state, thread);
      if (!i || !enabled(state, *i)) continue;
      if (!reads_the_same(state, *i)) {
        const auto last = state.last_write.find(trace_.events[*i].object);
        const bool written = last != state.last_write.end();
        result_.other_reads.emplace(
            *i, written ? std::optional(static_cast<uint64_t>(last->second)) : std::nullopt);
        continue;
      }
      visit(after(state, *i));
    }
  }

  bool can_order_from(const State& state, const std::vector<std::pair<uint64_t, uint64_t>>& pairs) {
    if (!seen_.insert(state).second) return false;
    bool all_done = true;
    for (const auto& [first, second] : pairs) all_done &= is_done(state, second);
    if (all_done) return true;
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      const std::optional<size_t> i = next(state, thread);
      if (!i || !enabled(state, *i) || !reads_the_same(state, *i)) continue;
      const bool too_early = std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return pair.second == *i && !is_done(state, pair.first);
      });
      if (!too_early && can_order_from(after(state, *i), pairs)) return true;
    }
    return false;
  }

  State after(const State& state, size_t i) const {
    State result = state;
    const Event& event = trace_.events[i];
    ++result.done[event.thread];
    const bool only_reads = event.op() == Op::rd || event.op() == Op::vrd || event.op() == Op::ard;
    if (space_of(event.op()) == Space::location && !only_reads) {
      result.last_write[event.object] = static_cast<int64_t>(i);
    }
    if (event.op() == Op::wait) {
      for (const size_t notify : notifies_during(i)) {
        if (is_done(state, notify)) result.deaf.insert(event.thread);
      }
    }
    return result;
  }

  std::optional<size_t> next(const State& state, ThreadId thread) const {
    if (state.done[thread] == threads_[thread].size()) return std::nullopt;
    return threads_[thread][state.done[thread]];
  }

  bool is_done(const State& state, size_t i) const {
    const std::vector<size_t>& events = threads_[trace_.events[i].thread];
    for (size_t k = 0; k < state.done[trace_.events[i].thread]; ++k) {
      if (events[k] == i) return true;
    }
    return false;
  }

  // The event of the thread before event i.
  std::optional<size_t> previous(size_t i) const {
    const std::vector<size_t>& events = threads_[trace_.events[i].thread];
    const auto place = std::find(events.begin(), events.end(), i);
    return place == events.begin() ? std::nullopt : std::optional(*(place - 1));
  }

  // Who holds the lock, by going through what each thread has done.
  void holders(const State& state, LockId lock, std::set<ThreadId>& exclusive,
               std::set<ThreadId>& shared) const {
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      bool waiting = false;
      for (size_t k = 0; k < state.done[thread]; ++k) {
        const Event& event = trace_.events[threads_[thread][k]];
        if (waiting) exclusive.insert(thread);
        waiting = false;
        if (space_of(event.op()) != Space::lock || event.object != lock) continue;
        if (event.op() == Op::acq) exclusive.insert(thread);
        if (event.op() == Op::racq) shared.insert(thread);
        if (event.op() == Op::rel || event.op() == Op::wait) exclusive.erase(thread);
        if (event.op() == Op::rrel) shared.erase(thread);
        waiting = event.op() == Op::wait;
      }
    }
  }

  bool lock_free(const State& state, LockId lock, bool shared) const {
    std::set<ThreadId> owners;
    std::set<ThreadId> readers;
    holders(state, lock, owners, readers);
    return owners.empty() && (shared || readers.empty());
  }

  bool reads_the_same(const State& state, size_t i) const {
    const auto saw = saw_.find(i);
    if (saw == saw_.end()) return true;
    const auto last = state.last_write.find(trace_.events[i].object);
    return saw->second == (last == state.last_write.end() ? kInitial : last->second);
  }

  // Whether the event may happen, whatever it reads.
  bool enabled(const State& state, size_t i) const {
    const Event& event = trace_.events[i];
    for (size_t a = 0; a < trace_.events.size(); ++a) {
      const Event& other = trace_.events[a];
      if (other.op() == Op::fork && other.object == event.thread && !is_done(state, a))
        return false;
      if (event.op() != Op::join) continue;
      if (other.op() != Op::skip && other.thread == event.object && !is_done(state, a))
        return false;
      if (other.op() == Op::fork && other.object == event.object && !is_done(state, a))
        return false;
    }
    const std::optional<size_t> before = previous(i);
    if (before && trace_.events[*before].op() == Op::wait && !wait_may_end(state, *before)) {
      return false;
    }
    if (before && trace_.events[*before].op() == Op::barrier) {
      for (const size_t arrival : generation_of(*before)) {
        if (!is_done(state, arrival)) return false;
      }
    }
    const bool reacquire = before && trace_.events[*before].op() == Op::wait &&
                           event.op() == Op::acq && trace_.events[*before].object == event.object;
    if (event.op() == Op::acq && !reacquire && !lock_free(state, event.object, false)) return false;
    if (event.op() == Op::racq && !lock_free(state, event.object, true)) return false;
    if (event.op() == Op::barrier) return arrival_may_come(state, i);
    return true;
  }

  // A wait ends when all have come that notified it in the trace, each of them during it.
  bool wait_may_end(const State& state, size_t wait) const {
    if (state.deaf.contains(trace_.events[wait].thread)) return false;
    for (const size_t notify : notifies_during(wait)) {
      if (!is_done(state, notify)) return false;
    }
    return lock_free(state, trace_.events[wait].object, false);
  }

  std::vector<size_t> notifies_during(size_t wait) const {
    const std::vector<size_t>& own = threads_[trace_.events[wait].thread];
    const auto end = std::find(own.begin(), own.end(), wait) + 1;
    std::vector<size_t> notifies;
    for (size_t i = wait; end != own.end() && i < *end; ++i) {
      const Event& event = trace_.events[i];
      const bool notifies_it = event.op() == Op::notify || event.op() == Op::notifyall;
      if (notifies_it && event.object == trace_.events[wait].object) notifies.push_back(i);
    }
    return notifies;
  }

  // The generation of an arrival, as in reference_order.cc.
  std::vector<size_t> generation_of(size_t arrival) const {
    for (const std::vector<size_t>& generation : generations(trace_.events[arrival].object)) {
      if (std::find(generation.begin(), generation.end(), arrival) != generation.end()) {
        return generation;
      }
    }
    return {};
  }
  std::vector<std::vector<size_t>> generations(uint32_t barrier) const {
    std::vector<std::vector<size_t>> all;
    size_t closes = 0;
    for (size_t i = 0; i < trace_.events.size(); ++i) {
      const Event& event = trace_.events[i];
      if (event.op() != Op::barrier || event.object != barrier) continue;
      if (all.empty() || i > closes) {
        all.emplace_back();
        closes = trace_.events.size();
      }
      all.back().push_back(i);
      const std::vector<size_t>& own = threads_[event.thread];
      const auto place = std::find(own.begin(), own.end(), i);
      if (place + 1 != own.end()) closes = std::min(closes, *(place + 1));
    }
    return all;
  }
  bool arrival_may_come(const State& state, size_t arrival) const {
    const auto all = generations(trace_.events[arrival].object);
    for (size_t g = 1; g < all.size(); ++g) {
      if (std::find(all[g].begin(), all[g].end(), arrival) == all[g].end()) continue;
      for (const size_t before : all[g - 1]) {
        if (!is_done(state, before)) return false;
      }
    }
    return true;
  }

  void note_races(const State& state) {
    for (ThreadId s = 0; s < threads_.size(); ++s) {
      for (ThreadId t = s + 1; t < threads_.size(); ++t) {
        const std::optional<size_t> a = next(state, s);
        const std::optional<size_t> b = next(state, t);
        if (!a || !b || !clash(trace_.events[*a], trace_.events[*b])) continue;
        if (!both_enabled(state, *a, *b)) continue;
        result_.races.emplace(std::min(*a, *b), std::max(*a, *b));
      }
    }
  }

  // An access that ends a wait takes its lock, which the other may need too.
  bool both_enabled(const State& state, size_t a, size_t b) const {
    if (!enabled(state, a) || !enabled(state, b)) return false;
    const std::optional<size_t> p = previous(a);
    const std::optional<size_t> q = previous(b);
    return !p || !q || trace_.events[*p].op() != Op::wait || trace_.events[*q].op() != Op::wait ||
           trace_.events[*p].object != trace_.events[*q].object;
  }

  void note_deadlocks(const State& state) {
    // Who waits for whom.
    std::map<ThreadId, std::set<ThreadId>> waits_for;
    for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
      const std::optional<size_t> i = next(state, thread);
      if (!i || (trace_.events[*i].op() != Op::acq && trace_.events[*i].op() != Op::racq)) continue;
      const std::optional<size_t> before = previous(*i);
      if (before && trace_.events[*before].op() == Op::wait) continue;
      std::set<ThreadId> owners;
      std::set<ThreadId> readers;
      holders(state, trace_.events[*i].object, owners, readers);
      if (trace_.events[*i].op() == Op::acq) owners.insert(readers.begin(), readers.end());
      owners.erase(thread);
      if (!owners.empty()) waits_for[thread] = owners;
    }
    for (const auto& [start, unused] : waits_for) walk(state, waits_for, {start});
  }

  // Every cycle of waiting that visits no thread twice.
  void walk(const State& state, std::map<ThreadId, std::set<ThreadId>>& waits_for,
            const std::vector<ThreadId>& path) {
    for (const ThreadId holder : waits_for[path.back()]) {
      if (holder == path.front()) {
        std::set<uint64_t> acquires;
        for (const ThreadId thread : path) acquires.insert(*next(state, thread));
        result_.deadlocks.insert(acquires);
      }
      if (!waits_for.contains(holder)) continue;
      if (std::find(path.begin(), path.end(), holder) != path.end()) continue;
      std::vector<ThreadId> longer = path;
      longer.push_back(holder);
      walk(state, waits_for, longer);
    }
  }

  const Trace& trace_;
  std::vector<std::vector<size_t>> threads_;  // events by thread
  std::map<size_t, int64_t> saw_;             // by read: the write
  std::set<State> seen_;
  Reachable result_;
};

}  // namespace

Reachable explore_reorderings(const Trace& trace) { return Explorer(trace).run(); }

bool some_reordering_has(const Trace& trace,
                         const std::vector<std::pair<uint64_t, uint64_t>>& pairs) {
  return Explorer(trace).can_order(pairs);
}

std::optional<Trace> trace_in_order(const Trace& trace, const std::vector<uint64_t>& order) {
  Trace other = {trace.symbols, {}, {}};
  for (const uint64_t i : order) {
    other.events.push_back(trace.events[i]);
    other.events.back().has_value = other.events.back().big_value = 0;
    other.events.back().resumes = 0;
  }
  StreamOptions unnested;
  unnested.well_formed.unnested = true;
  Result<Trace> read = load_trace(std::move(*read_from_memory("reordered", other)), unnested);
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

}  // namespace foretrace::testing
