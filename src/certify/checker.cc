#include "certify/checker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace foretrace {
namespace {

constexpr uint64_t kNone = UINT64_MAX;

}  // namespace

// What the trace says about each event that a reordering must keep.
struct ScheduleBonds {
  std::vector<std::vector<uint64_t>> threads;  // the events of each thread
  std::vector<uint64_t> writer;                // of each read; kNone: the initial value
  std::vector<std::vector<uint64_t>> after;    // events that must come before
  std::vector<uint64_t> fork;                  // of each thread; kNone: there from the start
  std::vector<std::optional<LockId>> regains;  // the lock that an event has back after a wait

  explicit ScheduleBonds(const Trace& trace)
      : threads(trace.symbols->names(Space::thread).size()),
        writer(trace.events.size(), kNone),
        after(trace.events.size()),
        fork(threads.size(), kNone),
        regains(trace.events.size()) {
    std::map<LocationId, uint64_t> last_write;
    std::map<ThreadId, uint64_t> waits;                  // who waits, since which event
    std::map<uint64_t, std::vector<uint64_t>> notified;  // by wait: the notifies during it
    struct Generation {
      std::vector<uint64_t> arrivals;
      bool left = false;
    };
    std::map<uint32_t, std::vector<Generation>> barriers;
    std::map<ThreadId, std::pair<uint32_t, size_t>> at_barrier;
    for (uint64_t i = 0; i < trace.events.size(); ++i) {
      const Event& event = trace.events[i];
      if (event.op() == Op::skip) continue;
      if (const auto wait = waits.find(event.thread); wait != waits.end()) {
        regains[i] = trace.events[wait->second].object;
        after[i] = notified[wait->second];
        waits.erase(wait);
      }
      if (const auto at = at_barrier.find(event.thread); at != at_barrier.end()) {
        Generation& generation = barriers[at->second.first][at->second.second];
        generation.left = true;
        after[i].insert(after[i].end(), generation.arrivals.begin(), generation.arrivals.end());
        at_barrier.erase(at);
      }
      threads[event.thread].push_back(i);
      switch (event.op()) {
        case Op::rd:
        case Op::vrd:
        case Op::vrmw:
          if (last_write.contains(event.object)) writer[i] = last_write[event.object];
          if (event.op() == Op::vrmw) last_write[event.object] = i;
          break;
        case Op::wr:
        case Op::vwr:
          last_write[event.object] = i;
          break;
        case Op::fork:
          fork[event.object] = i;
          break;
        case Op::wait:
          waits[event.thread] = i;
          break;
        case Op::notify:
        case Op::notifyall:
          for (const auto& [thread, wait] : waits) {
            if (trace.events[wait].object != event.object) continue;
            notified[wait].push_back(i);
            after[i].push_back(wait);
          }
          break;
        case Op::barrier: {
          std::vector<Generation>& generations = barriers[event.object];
          if (generations.empty() || generations.back().left) generations.emplace_back();
          const size_t number = generations.size() - 1;
          if (number > 0) after[i] = joined(after[i], generations[number - 1].arrivals);
          generations[number].arrivals.push_back(i);
          at_barrier[event.thread] = {event.object, number};
          break;
        }
        default:
          break;
      }
    }
  }

 private:
  static std::vector<uint64_t> joined(std::vector<uint64_t> a, const std::vector<uint64_t>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
};

namespace {

// The state while a schedule is replayed.
class Replay {
 public:
  Replay(const Trace& trace, const ScheduleBonds& bonds)
      : trace_(trace),
        bonds_(bonds),
        done_(bonds.threads.size()),
        taken_(trace.events.size()),
        last_write_(trace.symbols->names(Space::location).size(), kNone) {}

  uint64_t next(ThreadId thread) const {
    return done_[thread] < bonds_.threads[thread].size() ? bonds_.threads[thread][done_[thread]]
                                                         : kNone;
  }

  Result<void> take(uint64_t i, bool check_read = true) {
    if (i >= trace_.events.size()) return fail("there is no event {}", i);
    const Event& event = trace_.events[i];
    if (next(event.thread) != i) return fail("event {} is not its thread's next", i);
    if (bonds_.fork[event.thread] != kNone && !taken_[bonds_.fork[event.thread]]) {
      return fail("event {} comes before the fork of its thread", i);
    }
    for (const uint64_t before : bonds_.after[i]) {
      if (!taken_[before]) return fail("event {} needs event {} before it", i, before);
    }
    const bool is_reacquire =
        event.op() == Op::acq && bonds_.regains[i] && *bonds_.regains[i] == event.object;
    if (bonds_.regains[i] && !is_reacquire) {
      if (Result<void> got = acquire(i, *bonds_.regains[i], false); !got) return got;
    }
    if (Result<void> done = operate(i, event, check_read); !done) return done;
    taken_[i] = true;
    ++done_[event.thread];
    return {};
  }

  // The last write of the location; kNone: it has its initial value.
  uint64_t last_write(LocationId location) const { return last_write_[location]; }

  // The threads that a request for the lock has to wait for.
  std::set<ThreadId> holders(LockId lock, bool shared) const {
    std::set<ThreadId> threads;
    if (const auto owner = owners_.find(lock); owner != owners_.end()) threads = {owner->second};
    if (const auto readers = readers_.find(lock); !shared && readers != readers_.end()) {
      threads.insert(readers->second.begin(), readers->second.end());
    }
    return threads;
  }

 private:
  Result<void> operate(uint64_t i, const Event& event, bool check_read) {
    switch (event.op()) {
      case Op::rd:
      case Op::vrd:
      case Op::vrmw:
        if (check_read && last_write(event.object) != bonds_.writer[i]) {
          return fail("event {} reads from another write than in the trace", i);
        }
        if (event.op() == Op::vrmw) last_write_[event.object] = i;
        return {};
      case Op::wr:
      case Op::vwr:
        last_write_[event.object] = i;
        return {};
      case Op::acq:
        return acquire(i, event.object, false);
      case Op::racq:
        return acquire(i, event.object, true);
      case Op::rel:
      case Op::wait:
        owners_.erase(event.object);
        return {};
      case Op::rrel:
        readers_[event.object].erase(event.thread);
        return {};
      case Op::join:
        if (next(event.object) != kNone) return fail("event {} joins a running thread", i);
        if (bonds_.fork[event.object] != kNone && !taken_[bonds_.fork[event.object]]) {
          return fail("event {} joins a thread that was not forked", i);
        }
        return {};
      default:
        return {};
    }
  }

  Result<void> acquire(uint64_t i, LockId lock, bool shared) {
    if (owners_.contains(lock) || (!shared && !readers_[lock].empty())) {
      return fail("event {} acquires a lock that is held", i);
    }
    if (shared) {
      readers_[lock].insert(trace_.events[i].thread);
    } else {
      owners_[lock] = trace_.events[i].thread;
    }
    return {};
  }

  const Trace& trace_;
  const ScheduleBonds& bonds_;
  std::vector<size_t> done_;
  std::vector<bool> taken_;
  std::vector<uint64_t> last_write_;  // by location
  std::map<LockId, ThreadId> owners_;
  std::map<LockId, std::set<ThreadId>> readers_;
};

Result<void> take_all(Replay& replay, std::span<const uint64_t> schedule) {
  for (const uint64_t i : schedule) {
    if (Result<void> done = replay.take(i); !done) return done;
  }
  return {};
}

}  // namespace

ScheduleChecker::ScheduleChecker(const Trace& trace)
    : trace_(trace), bonds_(std::make_unique<const ScheduleBonds>(trace)) {}
ScheduleChecker::~ScheduleChecker() = default;

Result<void> ScheduleChecker::check(const std::vector<uint64_t>& schedule) const {
  Replay replay(trace_, *bonds_);
  return take_all(replay, schedule);
}

Result<void> ScheduleChecker::check_race(const std::vector<uint64_t>& schedule) const {
  if (schedule.size() < 2) return fail("a race has two accesses");
  const uint64_t a = schedule[schedule.size() - 2];
  const uint64_t b = schedule[schedule.size() - 1];
  if (std::max(a, b) >= trace_.events.size()) return fail("there is no such event");
  const Event& first = trace_.events[a];
  const Event& second = trace_.events[b];
  if (!is_access(first.op()) || !is_access(second.op()) || first.object != second.object ||
      first.thread == second.thread || (first.op() != Op::wr && second.op() != Op::wr)) {
    return fail("events {} and {} do not clash", a, b);
  }
  // Either access may come first.
  Replay before(trace_, *bonds_);
  Result<void> taken = take_all(before, std::span(schedule).first(schedule.size() - 2));
  if (!taken) return taken;
  for (const bool swapped : {false, true}) {
    Replay replay = before;
    Result<void> done = replay.take(swapped ? b : a, false);
    if (done) done = replay.take(swapped ? a : b, false);
    if (!done) return done;
  }
  return {};
}

Result<void> ScheduleChecker::check_other_read(const std::vector<uint64_t>& schedule,
                                               std::optional<uint64_t> challenger) const {
  if (schedule.empty()) return fail("the schedule does not end with a read");
  const uint64_t read = schedule.back();
  if (read >= trace_.events.size()) return fail("there is no event {}", read);
  const Event& event = trace_.events[read];
  if (event.op() != Op::rd && event.op() != Op::vrd && event.op() != Op::vrmw) {
    return fail("event {} is not a read", read);
  }
  Replay replay(trace_, *bonds_);
  Result<void> done = take_all(replay, std::span(schedule).first(schedule.size() - 1));
  if (!done) return done;
  const uint64_t seen = replay.last_write(event.object);
  if (seen != challenger.value_or(kNone))
    return fail("event {} does not read the challenger", read);
  if (seen == bonds_->writer[read]) return fail("event {} reads what it read in the trace", read);
  return replay.take(read, false);
}

Result<void> ScheduleChecker::check_deadlock(const std::vector<uint64_t>& schedule,
                                             const std::vector<uint64_t>& acquires) const {
  Replay replay(trace_, *bonds_);
  if (Result<void> done = take_all(replay, schedule); !done) return done;
  std::set<ThreadId> threads;
  for (const uint64_t i : acquires) {
    if (i >= trace_.events.size()) return fail("there is no event {}", i);
    threads.insert(trace_.events[i].thread);
  }
  if (threads.size() < 2 || threads.size() != acquires.size()) {
    return fail("a deadlock has acquires of at least two threads, one each");
  }
  for (const uint64_t i : acquires) {
    const Event& event = trace_.events[i];
    if (replay.next(event.thread) != i) return fail("event {} is not its thread's next", i);
    std::set<ThreadId> holders;
    if (event.op() == Op::acq || event.op() == Op::racq) {
      holders = replay.holders(event.object, event.op() == Op::racq);
    }
    const bool blocked = std::any_of(holders.begin(), holders.end(), [&](ThreadId holder) {
      return holder != event.thread && threads.contains(holder);
    });
    if (!blocked) {
      return fail("event {} does not wait for another thread of the deadlock", i);
    }
  }
  return {};
}

Result<void> ScheduleChecker::check_ordered(
    const std::vector<uint64_t>& schedule,
    std::span<const std::pair<uint64_t, uint64_t>> pairs) const {
  if (Result<void> done = check(schedule); !done) return done;
  for (const auto& [first, second] : pairs) {
    const auto first_place = std::find(schedule.begin(), schedule.end(), first);
    const auto second_place = std::find(schedule.begin(), schedule.end(), second);
    if (first_place == schedule.end()) return fail("event {} is not in the schedule", first);
    if (second_place == schedule.end()) return fail("event {} is not in the schedule", second);
    if (first_place >= second_place) {
      return fail("event {} does not come before event {}", first, second);
    }
  }
  return {};
}

}  // namespace foretrace
