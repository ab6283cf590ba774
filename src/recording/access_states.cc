#include "recording/access_states.h"

#include <algorithm>

#include "base/hash.h"
#include "base/sort_once.h"

namespace foretrace {

namespace {

uint64_t number(Epoch epoch) { return epoch.clock() << 24 | epoch.thread(); }

}  // namespace

AccessStates::AccessStates(HardOrder& order) : order_(order) { clear(); }

void AccessStates::clear() {
  states_.assign(2, State());  // kUntouched and kMatters
  numbers_.clear();
  numbers_[State()] = kUntouched;
  rests_.assign(1, Rest());
  rest_numbers_.clear();
  known_.fill(Known());
}

size_t AccessStates::StateHash::operator()(const State& state) const {
  return mixed(mixed(mixed(number(state.write)) ^ number(state.read)) ^ state.rest);
}

size_t AccessStates::RestHash::operator()(const Rest& rest) const {
  uint64_t hash = 0;
  for (const Epoch read : rest.reads) hash = mixed(hash ^ number(read));
  for (const LockNumber lock : rest.guard) hash = mixed(hash ^ lock);
  for (const Guarded& past : rest.guarded) {
    hash = mixed(hash ^ number(past.epoch) ^ uint64_t{past.write});
  }
  return hash;
}

AccessStates::Id AccessStates::number_of(const State& state) {
  const auto [known, is_new] = numbers_.try_emplace(state, static_cast<Id>(states_.size()));
  if (is_new) states_.push_back(state);
  return known->second;
}

uint32_t AccessStates::number_of_rest(const Rest& rest) {
  const auto [known, is_new] =
      rest_numbers_.try_emplace(rest, static_cast<uint32_t>(rests_.size()));
  if (is_new) rests_.push_back(rest);
  return known->second;
}

AccessStates::Id AccessStates::number_of(Past past) {
  State state = {past.write, Epoch(), 0, past.clashed};
  if (past.guarded.empty() && past.reads.size() <= 1) {
    if (!past.reads.empty()) state.read = past.reads.front();
  } else {
    state.rest = number_of_rest(
        {std::move(past.reads), std::move(past.guard), std::move(past.guarded), Place()});
  }
  return number_of(state);
}

AccessStates::Past AccessStates::past_of(const State& state) const {
  const Rest& rest = rests_[state.rest];
  Past past = {state.write, rest.reads, rest.guard, rest.guarded, state.clashed};
  if (!state.read.is_zero()) past.reads.push_back(state.read);
  return past;
}

namespace {

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
  const std::vector<LockNumber>& guard = rests_[states_[state].rest].guard;
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
  const State state = states_[id];
  if (state.rest == 0 && access.locks.empty()) {
    // A read is covered by the thread's own write in the same epoch.
    if (state.write == access.now && state.read.is_zero()) return id;
    return compute_plain(state, access);
  }
  std::optional<Past> past = past_with(state, access);
  return past ? number_of(std::move(*past)) : kMatters;
}

// Where nobody held a lock, and there is one read at most.
AccessStates::Id AccessStates::compute_plain(State state, const Access& access) {
  if (!is_ordered(state.write, access.thread)) return kMatters;
  const bool is_read_before = state.read.is_zero() || is_ordered(state.read, access.thread);
  if (access.write) {
    return is_read_before ? number_of({access.now, Epoch(), 0, state.clashed}) : kMatters;
  }
  if (!is_read_before) {
    Past past = past_of(state);
    add_read(past.reads, access.now);
    return number_of(std::move(past));
  }
  state.read = access.now;
  return number_of(state);
}

void AccessStates::add_read(std::vector<Epoch>& reads, Epoch now) {
  const auto place = std::find_if(reads.begin(), reads.end(),
                                  [&](Epoch read) { return read.thread() > now.thread(); });
  reads.insert(place, now);
}

// None if it matters.
std::optional<AccessStates::Past> AccessStates::past_with(const State& state,
                                                          const Access& access) {
  const auto ordered = [&](Epoch past) { return is_ordered(past, access.thread); };
  Past past = past_of(state);
  if (!ordered(past.write)) return std::nullopt;
  if (access.write && !std::all_of(past.reads.begin(), past.reads.end(), ordered)) {
    return std::nullopt;
  }
  std::vector<LockNumber> locks = excluding_locks(access);
  std::vector<LockNumber> common = locks;
  if (!past.guard.empty()) {
    std::erase_if(common, [&](LockNumber lock) {
      return !std::binary_search(past.guard.begin(), past.guard.end(), lock);
    });
  }
  if (!common.empty()) return add_guarded(std::move(past), std::move(common), access);
  return add_other(std::move(past), std::move(locks), access);
}

AccessStates::Past AccessStates::add_guarded(Past past, std::vector<LockNumber> guard,
                                             const Access& access) {
  past.guard = std::move(guard);
  past.clashed |= access.is_atomic();
  Guarded* mine = nullptr;
  for (Guarded& other : past.guarded) {
    if (other.epoch.thread() == access.now.thread()) {
      if (other.write == access.write) mine = &other;
    } else if (other.write || access.write) {
      past.clashed |= !is_ordered(other.epoch, access.thread);
    }
  }
  if (mine != nullptr) {
    mine->epoch = access.now;
  } else {
    past.guarded.push_back({access.now, access.write});
  }
  return past;
}

// An access without the guard.
std::optional<AccessStates::Past> AccessStates::add_other(Past past, std::vector<LockNumber> locks,
                                                          const Access& access) {
  const auto ordered = [&](Epoch epoch) { return is_ordered(epoch, access.thread); };
  const bool after_guarded = std::all_of(
      past.guarded.begin(), past.guarded.end(),
      [&](const Guarded& other) { return !(other.write || access.write) || ordered(other.epoch); });
  if (!after_guarded) return std::nullopt;
  past.clashed |= access.is_atomic();
  if (!access.write) {
    std::erase_if(past.reads, ordered);
    add_read(past.reads, access.now);
    return past;
  }
  // All that was comes before this write. If it holds locks of its own, they may become the
  // guard; what one thread did before, with another one, is then one of the other accesses.
  const auto latest = std::max_element(
      past.guarded.begin(), past.guarded.end(),
      [](const Guarded& a, const Guarded& b) { return a.epoch.clock() < b.epoch.clock(); });
  const bool by_one = std::all_of(
      past.guarded.begin(), past.guarded.end(),
      [&](const Guarded& other) { return other.epoch.thread() == latest->epoch.thread(); });
  if (locks.empty() || !by_one) return Past{access.now, {}, {}, {}, past.clashed};
  past.write = latest->epoch;
  past.guarded.clear();
  return add_guarded(std::move(past), std::move(locks), access);
}

// ---- memory that is used atomically

AccessStates::Id AccessStates::after_atomic(Id id, const Access& access) {
  const State state = states_[id];
  Rest& known = rests_[state.rest];
  const bool is_own = known.owner == access.atomic;
  if (is_own && known.reads.empty()) {
    // What the thread's earlier access came after, this one does too.
    for (Guarded& past : known.guarded) {
      if (past.epoch.thread() == access.thread && past.write == access.write) {
        past.epoch = access.now;
        return id;
      }
    }
  }
  std::optional<Past> past = past_with(state, access);
  if (!past) {
    may_race_ = true;
    return kMatters;
  }
  if (past->guard != std::vector<LockNumber>{kAtomicity}) return number_of(std::move(*past));
  Rest rest = {std::move(past->reads), std::move(past->guard), std::move(past->guarded),
               access.atomic};
  if (is_own) {
    known = std::move(rest);
    states_[id] = {past->write, Epoch(), state.rest, past->clashed};
    return id;
  }
  return add_own({past->write, Epoch(), 0, past->clashed}, std::move(rest));
}

AccessStates::Id AccessStates::add_own(State state, Rest rest) {
  state.rest = static_cast<uint32_t>(rests_.size());
  rests_.push_back(std::move(rest));
  states_.push_back(state);
  return static_cast<Id>(states_.size() - 1);
}

// ---- dropping

void AccessStates::begin_dropping() {
  old_states_ = std::move(states_);
  old_rests_ = std::move(rests_);
  clear();
  new_numbers_.assign(old_states_.size(), UINT32_MAX);
}

AccessStates::Id AccessStates::keep(Id id) {
  if (id <= kMatters) return id;
  Id& number = new_numbers_[id];
  if (number != UINT32_MAX) return number;
  State state = old_states_[id];
  Rest& rest = old_rests_[state.rest];
  if (rest.owner.bytes != 0) {
    number = add_own(state, std::move(rest));
  } else {
    if (state.rest != 0) state.rest = number_of_rest(rest);
    number = number_of(state);
  }
  return number;
}

// To look at all memory again is worth it only when there is a state for some part of it. That is
// less memory than the numbers there take.
void AccessStates::end_dropping(size_t looked_at) {
  constexpr size_t kPlacesForState = 128;
  old_states_ = {};
  old_rests_ = {};
  most_ = std::max({most_, states_.size() * 2, looked_at / kPlacesForState});
}

}  // namespace foretrace
