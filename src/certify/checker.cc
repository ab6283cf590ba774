#include "certify/checker.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "certify/bonds.h"

namespace foretrace {
namespace {

// The state while a schedule is replayed. What comes first, in the order of the
// trace, is not gone through: the state after it is looked up where it is asked for.
class Replay {
 public:
  Replay(const ScheduleBonds& bonds, const Schedule& schedule)
      : trace_(bonds.trace()), bonds_(bonds), cut_(schedule), done_(bonds.thread_count()) {
    for (ThreadId thread = 0; thread < done_.size(); ++thread) {
      const std::vector<uint64_t>& events = bonds.events_of(thread);
      done_[thread] = static_cast<size_t>(
          std::lower_bound(events.begin(), events.end(), cut_.until_of(thread)) - events.begin());
    }
  }

  Result<void> begin() const {
    if (cut_.until.size() > done_.size() || !bonds_.is_correct(cut_)) {
      return fail("what comes first is not a correct reordering");
    }
    return {};
  }

  uint64_t next(ThreadId thread) const {
    const std::vector<uint64_t>& events = bonds_.events_of(thread);
    return done_[thread] < events.size() ? events[done_[thread]] : kNoEvent;
  }

  Result<void> take(uint64_t i, bool check_read = true) {
    if (i >= trace_.events.size()) return fail("there is no event {}", i);
    const Event& event = trace_.events[i];
    if (next(event.thread) != i) return fail("event {} is not its thread's next", i);
    if (!is_forked(event.thread)) return fail("event {} comes before the fork of its thread", i);
    for (const uint64_t before : bonds_.after(i)) {
      if (!is_taken(before)) return fail("event {} needs event {} before it", i, before);
    }
    const std::optional<LockId> regained = bonds_.regains(i);
    if (regained && deaf_.contains(event.thread)) {
      return fail("event {} ends a wait that began after a notify that it needs", i);
    }
    const bool is_reacquire = event.op() == Op::acq && regained && *regained == event.object;
    if (regained && !is_reacquire) {
      if (Result<void> got = acquire(i, *regained, false); !got) return got;
    }
    if (Result<void> done = operate(i, event, check_read); !done) return done;
    ++done_[event.thread];
    return {};
  }

  // The last write of the location; kNoEvent: it has its initial value.
  uint64_t& last_write(LocationId location) {
    const auto [known, fresh] = last_write_.try_emplace(location);
    if (fresh) known->second = bonds_.last_write(location, cut_);
    return known->second;
  }

  // The threads that a request for the lock has to wait for.
  std::set<ThreadId> holders(LockId lock, bool shared) {
    const Lock& state = state_of(lock);
    std::set<ThreadId> threads;
    if (state.owner) threads.insert(*state.owner);
    if (!shared) threads.insert(state.readers.begin(), state.readers.end());
    return threads;
  }

 private:
  struct Lock {
    std::optional<ThreadId> owner;
    std::set<ThreadId> readers;
  };

  Lock& state_of(LockId lock) {
    const auto [known, fresh] = locks_.try_emplace(lock);
    if (!fresh) return known->second;
    for (const ScheduleBonds::LockOp& holder : bonds_.holders(lock, cut_)) {
      if (holder.holds == ScheduleBonds::LockOp::Holds::shared) {
        known->second.readers.insert(holder.thread);
      } else {
        known->second.owner = holder.thread;
      }
    }
    return known->second;
  }

  // Threads keep their order, so all before a thread's next event are done.
  bool is_taken(uint64_t i) const { return i < next(trace_.events[i].thread); }
  bool is_forked(ThreadId thread) const {
    const uint64_t fork = bonds_.fork_of(thread);
    return fork == kNoEvent || is_taken(fork);
  }

  Result<void> operate(uint64_t i, const Event& event, bool check_read) {
    switch (event.op()) {
      case Op::rd:
      case Op::vrd:
      case Op::ard:
      case Op::vrmw:
      case Op::armw:
        if (check_read && last_write(event.object) != bonds_.writer(i)) {
          return fail("event {} reads from another write than in the trace", i);
        }
        if (writes(event.op())) last_write(event.object) = i;
        return {};
      case Op::wr:
      case Op::vwr:
      case Op::awr:
        last_write(event.object) = i;
        return {};
      case Op::acq:
        return acquire(i, event.object, false);
      case Op::racq:
        return acquire(i, event.object, true);
      case Op::wait:
        listen(i);
        [[fallthrough]];
      case Op::rel:
        state_of(event.object).owner.reset();
        return {};
      case Op::rrel:
        state_of(event.object).readers.erase(event.thread);
        return {};
      case Op::join:
        if (next(event.object) != kNoEvent) return fail("event {} joins a running thread", i);
        if (!is_forked(event.object)) {
          return fail("event {} joins a thread that was not forked", i);
        }
        return {};
      default:
        return {};
    }
  }

  // A wait begins. If a notify that it heard in the trace has come already, it cannot end.
  void listen(uint64_t wait) {
    const std::vector<uint64_t>& events = bonds_.events_of(trace_.events[wait].thread);
    const auto end = std::upper_bound(events.begin(), events.end(), wait);
    if (end == events.end()) return;
    for (const uint64_t i : bonds_.after(*end)) {
      const Op op = trace_.events[i].op();
      const bool notifies = op == Op::notify || op == Op::notifyall;
      if (notifies && is_taken(i)) deaf_.insert(trace_.events[wait].thread);
    }
  }

  Result<void> acquire(uint64_t i, LockId lock, bool shared) {
    Lock& state = state_of(lock);
    if (state.owner || (!shared && !state.readers.empty())) {
      return fail("event {} acquires a lock that is held", i);
    }
    if (shared) {
      state.readers.insert(trace_.events[i].thread);
    } else {
      state.owner = trace_.events[i].thread;
    }
    return {};
  }

  const Trace& trace_;
  const ScheduleBonds& bonds_;
  const Schedule& cut_;
  std::vector<size_t> done_;
  std::map<LocationId, uint64_t> last_write_;  // those that were asked for
  std::map<LockId, Lock> locks_;               // likewise
  std::set<ThreadId> deaf_;                    // that wait for what has come before
};

// All but the last `left` events.
Result<void> take_all(Replay& replay, const Schedule& schedule, size_t left = 0) {
  if (Result<void> begun = replay.begin(); !begun) return begun;
  for (const uint64_t i : std::span(schedule.then).first(schedule.then.size() - left)) {
    if (Result<void> done = replay.take(i); !done) return done;
  }
  return {};
}

}  // namespace

ScheduleChecker::ScheduleChecker(const Trace& trace)
    : trace_(trace), bonds_(std::make_unique<const ScheduleBonds>(trace)) {}
ScheduleChecker::~ScheduleChecker() = default;

Result<void> ScheduleChecker::check(const Schedule& schedule) const {
  Replay replay(*bonds_, schedule);
  return take_all(replay, schedule);
}

Result<void> ScheduleChecker::check_race(const Schedule& schedule) const {
  if (schedule.then.size() < 2) return fail("a race has two accesses");
  const uint64_t a = schedule.then[schedule.then.size() - 2];
  const uint64_t b = schedule.then.back();
  if (std::max(a, b) >= trace_.events.size()) return fail("there is no such event");
  const Event& first = trace_.events[a];
  const Event& second = trace_.events[b];
  const bool of_locations =
      space_of(first.op()) == Space::location && space_of(second.op()) == Space::location;
  if (!of_locations || first.object != second.object || first.thread == second.thread ||
      !clash(first.op(), second.op())) {
    return fail("events {} and {} do not clash", a, b);
  }
  // Either access may come first.
  Replay before(*bonds_, schedule);
  Result<void> taken = take_all(before, schedule, 2);
  if (!taken) return taken;
  for (const bool swapped : {false, true}) {
    Replay replay = before;
    Result<void> done = replay.take(swapped ? b : a, false);
    if (done) done = replay.take(swapped ? a : b, false);
    if (!done) return done;
  }
  return {};
}

Result<void> ScheduleChecker::check_other_read(const Schedule& schedule,
                                               std::optional<uint64_t> challenger) const {
  if (schedule.then.empty()) return fail("the schedule does not end with a read");
  const uint64_t read = schedule.then.back();
  if (read >= trace_.events.size()) return fail("there is no event {}", read);
  const Event& event = trace_.events[read];
  if (!reads(event.op())) {
    return fail("event {} is not a read", read);
  }
  Replay replay(*bonds_, schedule);
  Result<void> done = take_all(replay, schedule, 1);
  if (!done) return done;
  const uint64_t seen = replay.last_write(event.object);
  if (seen != challenger.value_or(kNoEvent))
    return fail("event {} does not read the challenger", read);
  if (seen == bonds_->writer(read)) return fail("event {} reads what it read in the trace", read);
  return replay.take(read, false);
}

Result<void> ScheduleChecker::check_deadlock(const Schedule& schedule,
                                             const std::vector<uint64_t>& acquires) const {
  Replay replay(*bonds_, schedule);
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
    const Schedule& schedule, std::span<const std::pair<uint64_t, uint64_t>> pairs) const {
  if (Result<void> done = check(schedule); !done) return done;
  // What comes first is in the order of the trace.
  using Place = std::optional<std::pair<size_t, uint64_t>>;
  const auto place_of = [&](uint64_t i) -> Place {
    if (i >= trace_.events.size()) return std::nullopt;
    if (i < schedule.until_of(trace_.events[i].thread)) return std::pair{size_t{0}, i};
    const auto found = std::find(schedule.then.begin(), schedule.then.end(), i);
    if (found == schedule.then.end()) return std::nullopt;
    return std::pair{size_t{1}, static_cast<uint64_t>(found - schedule.then.begin())};
  };
  for (const auto& [first, second] : pairs) {
    const Place first_place = place_of(first);
    const Place second_place = place_of(second);
    if (!first_place) return fail("event {} is not in the schedule", first);
    if (!second_place) return fail("event {} is not in the schedule", second);
    if (*first_place >= *second_place) {
      return fail("event {} does not come before event {}", first, second);
    }
  }
  return {};
}

}  // namespace foretrace
