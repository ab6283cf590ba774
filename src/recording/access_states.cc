#include "recording/access_states.h"

#include <algorithm>

#include "base/hash.h"
#include "base/sort_once.h"

namespace foretrace {

AccessStates::AccessStates(HardOrder& order) : order_(order) {
  states_.resize(2);  // kUntouched and kMatters
  numbers_[State()] = kUntouched;
}

size_t AccessStates::StateHash::operator()(const State& state) const {
  uint64_t hash = mixed(state.write.clock() << 24 | state.write.thread());
  for (const Epoch read : state.reads) {
    hash = mixed(hash ^ (read.clock() << 24 | read.thread()));
  }
  for (const LockNumber lock : state.guard) hash = mixed(hash ^ lock);
  for (const Guarded& past : state.guarded) {
    hash = mixed(hash ^ (past.epoch.clock() << 24 | past.epoch.thread()) ^ uint64_t{past.write});
  }
  return hash;
}

AccessStates::Id AccessStates::number_of(State state) {
  const auto [known, is_new] =
      numbers_.try_emplace(std::move(state), static_cast<Id>(states_.size()));
  if (is_new) states_.push_back(known->first);
  return known->second;
}

namespace {

bool is_atomic(const AccessStates::Access& access) {
  return !access.locks.empty() && access.locks.front().lock == kAtomicity;
}

// Of the locks that a thread holds, those that exclude who clashes with it: a reader's lock
// excludes no reader.
bool excludes(const HeldNumber& held, bool write) { return !write || !held.shared; }

std::vector<LockNumber> excluding_locks(const AccessStates::Access& access) {
  std::vector<LockNumber> locks;
  for (const HeldNumber& held : access.locks) {
    if (excludes(held, access.write)) locks.push_back(held.lock);
  }
  sort_once(locks);
  return locks;
}

}  // namespace

uint64_t AccessStates::locks_for(Id state, const Access& access) const {
  const std::vector<LockNumber>& guard = states_[state].guard;
  const auto is_held = [&](LockNumber lock) {
    return std::any_of(access.locks.begin(), access.locks.end(), [&](const HeldNumber& held) {
      return held.lock == lock && excludes(held, access.write);
    });
  };
  if (!guard.empty() && std::all_of(guard.begin(), guard.end(), is_held)) return kAllOfGuard;
  uint64_t locks = kNoLocks;
  for (const HeldNumber& held : access.locks) {
    if (!excludes(held, access.write)) continue;
    if (locks >> 32 != 0) return kManyLocks;
    locks = locks << 32 | held.lock;
  }
  return locks;
}

AccessStates::Id AccessStates::compute(Id id, const Access& access) {
  const State& state = states_[id];
  const auto ordered = [&](Epoch past) { return order_.ordered(past, access.thread); };
  std::vector<LockNumber> locks = excluding_locks(access);
  // A read is covered by the thread's own write in the same epoch.
  if (locks.empty() && state.guard.empty() && state.write == access.now && state.reads.empty()) {
    return id;
  }
  if (!ordered(state.write)) return kMatters;
  if (access.write && !std::all_of(state.reads.begin(), state.reads.end(), ordered)) {
    return kMatters;
  }
  std::vector<LockNumber> common = locks;
  if (!state.guard.empty()) {
    std::erase_if(common, [&](LockNumber lock) {
      return !std::binary_search(state.guard.begin(), state.guard.end(), lock);
    });
  }
  return common.empty() ? add_other(state, std::move(locks), access)
                        : add_guarded(state, std::move(common), access);
}

AccessStates::Id AccessStates::add_guarded(const State& state, std::vector<LockNumber> guard,
                                           const Access& access) {
  State next = state;
  next.guard = std::move(guard);
  next.clashed |= is_atomic(access);
  Guarded* mine = nullptr;
  for (Guarded& past : next.guarded) {
    if (past.epoch.thread() == access.now.thread()) {
      if (past.write == access.write) mine = &past;
    } else if (past.write || access.write) {
      next.clashed |= !order_.ordered(past.epoch, access.thread);
    }
  }
  if (mine != nullptr) {
    mine->epoch = access.now;
  } else {
    next.guarded.push_back({access.now, access.write});
  }
  return number_of(std::move(next));
}

// An access without the guard.
AccessStates::Id AccessStates::add_other(const State& state, std::vector<LockNumber> locks,
                                         const Access& access) {
  const auto ordered = [&](Epoch past) { return order_.ordered(past, access.thread); };
  const bool after_guarded = std::all_of(
      state.guarded.begin(), state.guarded.end(),
      [&](const Guarded& past) { return !(past.write || access.write) || ordered(past.epoch); });
  if (!after_guarded) return kMatters;
  State next;
  next.write = state.write;
  next.clashed = state.clashed || is_atomic(access);
  if (access.write) {
    // All that was comes before this write. If it holds locks of its own, they may become the
    // guard; what one thread did before, with another one, is then one of the other accesses.
    const auto latest = std::max_element(
        state.guarded.begin(), state.guarded.end(),
        [](const Guarded& a, const Guarded& b) { return a.epoch.clock() < b.epoch.clock(); });
    const bool by_one = std::all_of(
        state.guarded.begin(), state.guarded.end(),
        [&](const Guarded& past) { return past.epoch.thread() == latest->epoch.thread(); });
    if (locks.empty() || !by_one) {
      next.write = access.now;
      return number_of(std::move(next));
    }
    next.write = latest->epoch;
    next.reads = state.reads;
    return add_guarded(next, std::move(locks), access);
  }
  std::remove_copy_if(state.reads.begin(), state.reads.end(), std::back_inserter(next.reads),
                      ordered);
  const auto place = std::find_if(next.reads.begin(), next.reads.end(),
                                  [&](Epoch read) { return read.thread() > access.now.thread(); });
  next.reads.insert(place, access.now);
  next.guard = state.guard;
  next.guarded = state.guarded;
  return number_of(std::move(next));
}

void AccessStates::begin_dropping() {
  old_states_ = std::move(states_);
  numbers_.clear();
  states_.assign(2, State());
  numbers_[State()] = kUntouched;
  new_numbers_.assign(old_states_.size(), UINT32_MAX);
}

AccessStates::Id AccessStates::keep(Id state) {
  if (state <= kMatters) return state;
  Id& number = new_numbers_[state];
  if (number == UINT32_MAX) number = number_of(std::move(old_states_[state]));
  return number;
}

void AccessStates::end_dropping() {
  old_states_ = {};
  known_.fill(Known());
  most_ = std::max(most_, states_.size() * 2);
}

}  // namespace foretrace
