#include "certify/bonds.h"

#include <algorithm>
#include <map>

namespace foretrace {
namespace {

using LockOp = ScheduleBonds::LockOp;
using Holds = LockOp::Holds;

// After so many acquires and releases of a thread it is noted what it holds.
constexpr size_t kHeldNoted = 128;

void note(std::vector<ScheduleBonds::Held>& held, const LockOp& op) {
  if (op.holds == Holds::not_at_all) {
    std::erase_if(held, [&](const ScheduleBonds::Held& one) { return one.lock == op.lock; });
  } else {
    held.push_back({op.lock, op.index, op.holds == Holds::shared});
  }
}

// Calls f with the entries of each thread; the list is sorted by thread.
template <typename Entry, typename ThreadOf, typename F>
void by_thread(std::span<const Entry> list, const ThreadOf& thread_of, const F& f) {
  while (!list.empty()) {
    const ThreadId thread = thread_of(list.front());
    const auto end = std::partition_point(
        list.begin(), list.end(), [&](const Entry& one) { return thread_of(one) == thread; });
    const auto count = static_cast<size_t>(end - list.begin());
    f(thread, list.first(count));
    list = list.subspan(count);
  }
}

}  // namespace

// Goes through the trace once.
class ScheduleBonds::Builder {
 public:
  explicit Builder(ScheduleBonds& bonds) : bonds_(bonds), trace_(bonds.trace_) {}

  void build() {
    const Symbols& symbols = *trace_.symbols;
    const size_t threads = symbols.names(Space::thread).size();
    bonds_.threads_.resize(threads);
    bonds_.forks_.resize(threads, kNoEvent);
    bonds_.needs_.resize(threads);
    bonds_.lock_ops_.resize(threads);
    bonds_.held_.resize(threads);
    last_write_.resize(symbols.names(Space::location).size(), kNoEvent);
    reserve();
    for (uint64_t i = 0; i < trace_.events.size(); ++i) {
      if (trace_.events[i].op() != Op::skip) add(i, trace_.events[i]);
    }
    bonds_.writes_ = Lists<uint64_t>(last_write_.size(), [&](const auto& found) {
      for (const std::vector<uint64_t>& events : bonds_.threads_) {
        for (const uint64_t i : events) {
          if (writes(trace_.events[i].op())) found(trace_.events[i].object, i);
        }
      }
    });
    bonds_.ops_of_locks_ = Lists<LockOp>(symbols.names(Space::lock).size(), [&](const auto& found) {
      for (const std::vector<LockOp>& ops : bonds_.lock_ops_) {
        for (const LockOp& op : ops) found(op.lock, op);
      }
    });
  }

 private:
  struct Generation {
    std::vector<uint64_t> arrivals;
    bool left = false;
  };

  void reserve() {
    std::vector<size_t> counts(bonds_.threads_.size());
    for (const Event& event : trace_.events) {
      if (event.op() != Op::skip) ++counts[event.thread];
    }
    for (size_t t = 0; t < counts.size(); ++t) bonds_.threads_[t].reserve(counts[t]);
  }

  void add(uint64_t i, const Event& event) {
    if (bonds_.threads_[event.thread].empty()) need(i, bonds_.forks_[event.thread]);
    if (const auto wait = waits_.find(event.thread); wait != waits_.end()) {
      const LockId lock = trace_.events[wait->second].object;
      bonds_.regains_[i] = lock;
      for (const uint64_t notify : notified_[wait->second]) comes_after(i, notify);
      notified_.erase(wait->second);
      waits_.erase(wait);
      lock_op(i, lock, Holds::alone);
    }
    if (const auto at = at_barrier_.find(event.thread); at != at_barrier_.end()) {
      Generation& generation = barriers_[at->second.first][at->second.second];
      generation.left = true;
      for (const uint64_t arrival : generation.arrivals) comes_after(i, arrival);
      at_barrier_.erase(at);
    }
    bonds_.threads_[event.thread].push_back(i);
    operate(i, event);
  }

  void operate(uint64_t i, const Event& event) {
    if (reads(event.op())) need(i, last_write_[event.object]);
    if (writes(event.op())) last_write_[event.object] = i;
    switch (event.op()) {
      case Op::fork:
        bonds_.forks_[event.object] = i;
        break;
      case Op::join:
        if (!bonds_.threads_[event.object].empty()) need(i, bonds_.threads_[event.object].back());
        need(i, bonds_.forks_[event.object]);
        break;
      case Op::acq:
        // It may be the one that ends a wait.
        if (!bonds_.regains(i) || *bonds_.regains(i) != event.object) {
          lock_op(i, event.object, Holds::alone);
        }
        break;
      case Op::racq:
        lock_op(i, event.object, Holds::shared);
        break;
      case Op::wait:
        waits_[event.thread] = i;
        [[fallthrough]];
      case Op::rel:
      case Op::rrel:
        lock_op(i, event.object, Holds::not_at_all);
        break;
      case Op::notify:
      case Op::notifyall:
        for (const auto& [thread, wait] : waits_) {
          if (trace_.events[wait].object == event.object) notified_[wait].push_back(i);
        }
        break;
      case Op::barrier:
        arrive(i, event);
        break;
      default:
        break;
    }
  }

  void arrive(uint64_t i, const Event& event) {
    std::vector<Generation>& generations = barriers_[event.object];
    if (generations.empty() || generations.back().left) generations.emplace_back();
    const size_t number = generations.size() - 1;
    if (number > 0) {
      for (const uint64_t before : generations[number - 1].arrivals) comes_after(i, before);
    }
    generations[number].arrivals.push_back(i);
    at_barrier_[event.thread] = {event.object, number};
  }

  void lock_op(uint64_t i, LockId lock, Holds holds) {
    const ThreadId thread = trace_.events[i].thread;
    std::vector<LockOp>& ops = bonds_.lock_ops_[thread];
    LockOp op = {i, lock, thread, holds};
    const auto [last, fresh] = last_op_.try_emplace(uint64_t{thread} << 32 | lock, op);
    op.last_acquire = holds == Holds::not_at_all ? last->second.last_acquire : i;
    op.last_alone = holds == Holds::alone ? i : last->second.last_alone;
    last.value() = op;
    if (ops.size() % kHeldNoted == 0) bonds_.held_[thread].push_back(now_held_[thread]);
    ops.push_back(op);
    note(now_held_[thread], op);
  }

  void comes_after(uint64_t i, uint64_t before) {
    bonds_.after_[i].push_back(before);
    need(i, before);
  }

  void need(uint64_t i, uint64_t needed) {
    if (needed == kNoEvent) return;
    const ThreadId thread = trace_.events[i].thread;
    const ThreadId other = trace_.events[needed].thread;
    if (thread == other) return;
    std::vector<Needs>& all = bonds_.needs_[thread];
    const auto [entry, fresh] =
        entries_.try_emplace(uint64_t{thread} << 32 | other, static_cast<uint32_t>(all.size()));
    if (fresh) all.push_back({other, {}});
    std::vector<Rise>& rises = all[entry->second].rises;
    if (rises.empty() || rises.back().needed < needed) rises.push_back({i, needed});
  }

  ScheduleBonds& bonds_;
  const Trace& trace_;
  std::vector<uint64_t> last_write_;                    // by location
  std::map<ThreadId, uint64_t> waits_;                  // who waits, since which event
  std::map<uint64_t, std::vector<uint64_t>> notified_;  // by wait: the notifies during it
  std::map<uint32_t, std::vector<Generation>> barriers_;
  std::map<ThreadId, std::pair<uint32_t, size_t>> at_barrier_;
  tsl::robin_map<uint64_t, LockOp, IntegerHash> last_op_;  // by thread and lock
  std::map<ThreadId, std::vector<Held>> now_held_;
  tsl::robin_map<uint64_t, uint32_t, IntegerHash> entries_;  // of needs_, by two threads
};

ScheduleBonds::ScheduleBonds(const Trace& trace) : trace_(trace) { Builder(*this).build(); }

std::span<const uint64_t> ScheduleBonds::after(uint64_t index) const {
  const auto found = after_.find(index);
  return found == after_.end() ? std::span<const uint64_t>() : std::span(found->second);
}

std::optional<LockId> ScheduleBonds::regains(uint64_t index) const {
  const auto found = regains_.find(index);
  return found == regains_.end() ? std::nullopt : std::optional(found->second);
}

// Of the writes of each thread before an index of its own, the last in the trace.
uint64_t ScheduleBonds::last_write_before(LocationId location, const auto& until_of) const {
  uint64_t last = kNoEvent;
  const auto thread_of = [&](uint64_t i) { return trace_.events[i].thread; };
  by_thread(writes_[location], thread_of, [&](ThreadId thread, std::span<const uint64_t> writes) {
    const auto end = std::lower_bound(writes.begin(), writes.end(), until_of(thread));
    if (end == writes.begin()) return;
    if (last == kNoEvent || last < *(end - 1)) last = *(end - 1);
  });
  return last;
}

uint64_t ScheduleBonds::writer(uint64_t read) const {
  return last_write_before(trace_.events[read].object, [&](ThreadId) { return read; });
}

uint64_t ScheduleBonds::last_write(LocationId location, const Schedule& cut) const {
  return last_write_before(location, [&](ThreadId thread) { return cut.until_of(thread); });
}

std::vector<LockOp> ScheduleBonds::holders(LockId lock, const Schedule& cut) const {
  std::vector<LockOp> found;
  by_thread(
      ops_of_locks_[lock], [](const LockOp& op) { return op.thread; },
      [&](ThreadId thread, std::span<const LockOp> ops) {
        const uint64_t until = cut.until_of(thread);
        const auto end = std::partition_point(ops.begin(), ops.end(),
                                              [&](const LockOp& op) { return op.index < until; });
        if (end != ops.begin() && (end - 1)->holds != Holds::not_at_all) {
          found.push_back(*(end - 1));
        }
      });
  return found;
}

std::vector<ScheduleBonds::Held> ScheduleBonds::held_at(ThreadId thread, uint64_t until) const {
  const std::vector<LockOp>& ops = lock_ops_[thread];
  const auto end =
      static_cast<size_t>(std::partition_point(ops.begin(), ops.end(),
                                               [&](const LockOp& op) { return op.index < until; }) -
                          ops.begin());
  if (end == 0) return {};
  const size_t noted = (end - 1) / kHeldNoted;
  std::vector<Held> held = held_[thread][noted];
  for (size_t i = noted * kHeldNoted; i < end; ++i) note(held, ops[i]);
  return held;
}

// Whether no other thread's section that this one excludes begins later.
bool ScheduleBonds::is_last(ThreadId thread, const Held& held, const Schedule& cut) const {
  bool last = true;
  by_thread(
      ops_of_locks_[held.lock], [](const LockOp& op) { return op.thread; },
      [&](ThreadId other, std::span<const LockOp> ops) {
        if (other == thread) return;
        const uint64_t until = cut.until_of(other);
        const auto end = std::partition_point(ops.begin(), ops.end(),
                                              [&](const LockOp& op) { return op.index < until; });
        if (end == ops.begin()) return;
        const uint64_t theirs = held.shared ? (end - 1)->last_alone : (end - 1)->last_acquire;
        if (theirs != kNoEvent && theirs > held.acquire) last = false;
      });
  return last;
}

bool ScheduleBonds::is_correct(const Schedule& cut) const {
  for (ThreadId thread = 0; thread < threads_.size(); ++thread) {
    const uint64_t until = cut.until_of(thread);
    if (until == 0) continue;
    for (const Needs& needs : needs_[thread]) {
      const auto end = std::partition_point(needs.rises.begin(), needs.rises.end(),
                                            [&](const Rise& rise) { return rise.index < until; });
      if (end != needs.rises.begin() && (end - 1)->needed >= cut.until_of(needs.thread)) {
        return false;
      }
    }
    for (const Held& held : held_at(thread, until)) {
      if (!is_last(thread, held, cut)) return false;
    }
  }
  return true;
}

}  // namespace foretrace
