// What is known of the accesses of some memory, as small numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tsl/robin_map.h>

#include "recording/hard_order.h"
#include "recording/lock_holders.h"

namespace foretrace {

// Memory with the same past has the same number, but for what is used atomically.
//
// A past is in two parts. Accesses that hold the *guard*, one or more locks, exclude each
// other; of them, each thread's last ones are known. The others are known as in FastTrack: the
// last write, and the reads since then. All accesses come after those of the others, in the
// hard order, that they clash with. So nothing can race; where that does not hold any more,
// something may.
class AccessStates {
 public:
  using Id = uint32_t;
  static constexpr Id kUntouched = 0;
  // Clashing accesses are neither ordered nor excluded by a lock, or it matters for another
  // reason.
  static constexpr Id kMatters = 1;

  // The order must outlive this.
  explicit AccessStates(HardOrder& order);

  // Memory that is used atomically; none if it has no bytes.
  struct Place {
    uint64_t address = 0;
    uint32_t bytes = 0;
    bool operator==(const Place&) const = default;
  };
  struct Access {
    uint32_t thread;
    Epoch now;
    bool write;
    bool matters;                       // whatever came before
    std::span<const HeldNumber> locks;  // that the thread holds
    Place atomic = {};                  // what it is of, if it is atomic

    bool is_atomic() const { return atomic.bytes != 0; }
  };
  // What an access makes of a state.
  Id after(Id state, const Access& access) {
    if (state == kMatters || access.matters) {
      may_race_ = true;
      return kMatters;
    }
    if (access.is_atomic()) return after_atomic(state, access);
    const uint64_t locks = access.locks.empty() ? kNoLocks : locks_for(state, access);
    Known& known = known_[(state * 2654435761U >> 20 ^ access.thread * 2 ^
                           static_cast<uint32_t>(access.write) ^ static_cast<uint32_t>(locks)) %
                          kKnown];
    if (known.state != state || known.now != access.now || known.write != access.write ||
        known.locks != locks || !is_valid(known)) {
      all_ordered_ = true;
      known = {state, access.now, access.write, compute(state, access), locks, kForEver};
      if (!all_ordered_) known.version = order_.version();
      if (locks == kManyLocks || is_own(state)) known.version = kNever;
      may_race_ |= known.after == kMatters;
    }
    return known.after;
  }

  // Whether there were clashing accesses that the hard order leaves unordered, or atomic ones.
  bool matters(Id state) const { return state == kMatters || states_[state].clashed; }
  // Whether some memory, at some time, was in the state kMatters.
  bool may_race() const { return may_race_; }

  // Most states are of epochs that are long over. When there are many:
  bool are_many() const { return states_.size() > most_; }
  // first keep() for each number that is used, which gives its new one,
  void begin_dropping();
  Id keep(Id id);
  // then this. `looked_at`: at so many places in memory.
  void end_dropping(size_t looked_at);

 private:
  // The last read, or the last write, of a thread that held the guard.
  struct Guarded {
    Epoch epoch;
    bool write;
    bool operator==(const Guarded&) const = default;
  };
  struct Past {
    Epoch write;
    std::vector<Epoch> reads;       // by thread
    std::vector<LockNumber> guard;  // sorted; none: nobody held a lock
    std::vector<Guarded> guarded;   // in the order in which threads came
    // The guarded ones are not all in the hard order, or some are atomic: their order counts.
    bool clashed = false;
  };
  // Most memory has no guard, and one read since the last write. What more there is of others:
  struct Rest {
    std::vector<Epoch> reads;
    std::vector<LockNumber> guard;
    std::vector<Guarded> guarded;
    // Atomic operations come often, and each is another epoch: what is used atomically has a
    // state of its own, which changes.
    Place owner = {};
    bool operator==(const Rest&) const = default;
  };
  struct RestHash {
    size_t operator()(const Rest& rest) const;
  };
  struct State {
    Epoch write;
    Epoch read;         // if there is one
    uint32_t rest = 0;  // its number; 0: none
    bool clashed = false;
    bool operator==(const State&) const = default;
  };
  struct StateHash {
    size_t operator()(const State& state) const;
  };
  // Transitions that were computed lately.
  struct Known {
    Id state = 0;
    Epoch now = {};
    bool write = false;
    Id after = 0;
    uint64_t locks = 0;
    uint64_t version = kNever;  // of the order
  };
  static constexpr uint64_t kNever = UINT64_MAX;
  // What is ordered stays so.
  static constexpr uint64_t kForEver = UINT64_MAX - 1;
  static constexpr uint32_t kKnown = 1024;
  // What of the locks an answer depends on: none, all of the guard's are held, one or two (their
  // numbers, which are larger), or more: then it is not kept.
  static constexpr uint64_t kNoLocks = 0;
  static constexpr uint64_t kAllOfGuard = 1;
  static constexpr uint64_t kManyLocks = UINT64_MAX;

  bool is_valid(const Known& known) const {
    return known.version == kForEver || known.version == order_.version();
  }
  bool is_ordered(Epoch past, uint32_t thread) {
    const bool is = order_.ordered(past, thread);
    all_ordered_ &= is;
    return is;
  }
  uint64_t locks_for(Id state, const Access& access) const;
  Past past_of(const State& state) const;
  Id after_atomic(Id id, const Access& access);
  Id add_own(State state, Rest rest);
  Id compute(Id id, const Access& access);
  Id compute_plain(State state, const Access& access);
  static void add_read(std::vector<Epoch>& reads, Epoch now);
  std::optional<Past> past_with(const State& state, const Access& access);
  Past add_guarded(Past past, std::vector<LockNumber> guard, const Access& access);
  std::optional<Past> add_other(Past past, std::vector<LockNumber> locks, const Access& access);
  Id number_of(Past past);
  Id number_of(const State& state);
  uint32_t number_of_rest(const Rest& rest);
  bool is_own(Id state) const { return rests_[states_[state].rest].owner.bytes != 0; }
  void clear();

  HardOrder& order_;
  bool may_race_ = false;
  bool all_ordered_ = true;  // that was asked for since it was set
  std::vector<State> states_;
  std::vector<Rest> rests_;
  tsl::robin_map<State, Id, StateHash> numbers_;
  tsl::robin_map<Rest, uint32_t, RestHash> rest_numbers_;
  std::array<Known, kKnown> known_;
  std::vector<State> old_states_;  // while dropping
  std::vector<Rest> old_rests_;
  std::vector<Id> new_numbers_;
  size_t most_ = size_t{1} << 18;
};

}  // namespace foretrace
